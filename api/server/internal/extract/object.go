package extract

import (
	"strings"
	"time"
	"unicode"
)

const (
	maxName   = 4 // words of a name
	maxPhrase = 5 // words of a thing
	maxList   = 8 // things in a list
)

// properName reads a name that begins at token i: words with capitals, and the small words within names. It returns the
// name and how many tokens it has, 0 when there is none.
func properName(t []token, i int) (name string, n int) {
	end := i
	for j := i; j < len(t) && j-i < maxName+2; j++ {
		w := t[j]
		switch {
		case strings.Contains(w.text, "\x01"):
			j = len(t)
			continue
		case w.isName() && !strings.HasSuffix(w.low, "'s"):
			end = j + 1
		case j > i && startsWithDigit(w.text) && len(w.text) <= 8:
			end = j + 1
		case j > i && connectors()[w.low] && j+1 < len(t) && t[j+1].isName():
		default:
			j = len(t)
			continue
		}
		if w.stop || w.list {
			break
		}
	}
	if end == i || end-i > maxName+1 || t[i].low == "i" {
		return "", 0
	}
	return text(t[i:end]), end - i
}

// connectors are small words within names.
var connectors = wordSet(`of de del la le les du des da do dos di van der den von zu am an auf el al bin ibn upon sur & y e the 's`)

func startsWithDigit(w string) bool { return w != "" && w[0] >= '0' && w[0] <= '9' }

// person reads a name of a person.
func (r *reader) person(t []token, i int) (Thing, int) {
	name, n := properName(t, i)
	if n == 0 && r.small && i < len(t) && isPlainWord(t[i]) && !moods()[t[i].low] {
		return Thing{t[i].text, KindPerson}, 1
	}
	if n == 0 || !isPersonName(t[i:i+n]) {
		return Thing{}, 0
	}
	return Thing{name, KindPerson}, n
}

// isPersonName rules out names that are surely none of a person.
func isPersonName(t []token) bool {
	for _, w := range t {
		if isLanguage(w.low) || isMonth(w.low) && w.low != "april" && w.low != "june" && w.low != "may" || isWeekday(w.low) || isTech(w.text) ||
			isRoleNoun(w.low) || nationalities()[w.low] || strings.ContainsAny(w.text, "0123456789_/#+@") {
			return false
		}
		if len(w.text) > 1 && w.text == strings.ToUpper(w.text) && len(t) == 1 {
			return false // CEO, QA
		}
	}
	return !notInSubject()[t[0].low] && !noSubject()[t[0].low]
}

// isPlainWord is for people who write without capitals: a word that is nothing else.
func isPlainWord(w token) bool {
	if len(w.low) < 3 || isArticle(w.low) || stopWords()[w.low] || notInSubject()[w.low] || noSubject()[w.low] || vague()[w.low] || nationalities()[w.low] {
		return false
	}
	return strings.IndexFunc(w.low, func(r rune) bool { return !unicode.IsLetter(r) }) < 0
}

// vague are words that name no place, employer or person in particular.
var vague = wordSet(`home house work office school college uni university night day weekends weekend noon scale height speed least most best
worst random times large town city village countryside bed love hate fear peace hell heaven front back line order general particular
parallel production prod staging dev fact theory practice bank startup company agency hospital school government here there
somewhere nowhere everywhere remote remotely full part time charge touch trouble tired sick fine good bad busy hungry done ready sure
sorry happy new old same different able glad late early stuck lost confused curious interested`)

// moods are words for how someone is, which without capitals look like names: "my manager is great".
var moods = wordSet(`great nice awesome amazing cool chill kind mean rude funny smart clever dumb stupid crazy insane weird strange awful terrible
horrible annoying boring lovely sweet cute beautiful pretty ugly tall short small big old young rich poor strict fair lazy angry mad upset
furious pissed excited thrilled nervous anxious worried scared afraid calm relaxed stressed exhausted sleepy awake dead alive pregnant single
married divorced engaged away out off offline online back home abroad retired unemployed jobless available free unavailable absent remote
wrong right correct incorrect okay alright well unwell ill healthy injured hurt broken slow fast quick full empty hot cold warm wet dry
drunk sober hungover vegan vegetarian gay straight trans queer deaf blind autistic religious atheist asking saying coming going leaving
joking kidding trying thinking amused bored grateful thankful blessed proud ashamed jealous lonely alone desperate hopeful hopeless
helpful useless supportive understanding demanding picky stubborn quiet loud silent shy outgoing honest loyal toxic evil perfect
fantastic brilliant excellent incredible wonderful super decent average solid legit sus based dope lit goated
leaving gone missing there here everywhere somewhere nowhere new old same due overdue late early ready done finished`)

// readPlace reads a name of a place.
func (r *reader) readPlace(t []token, i int) (Thing, int) {
	if i < len(t) && t[i].low == "the" && i+1 < len(t) && t[i+1].isName() {
		name, n := properName(t, i+1)
		return Thing{"the " + name, KindPlace}, n + 1
	}
	name, n := properName(t, i)
	if n == 0 && r.small && i < len(t) && isPlainWord(t[i]) {
		return Thing{t[i].text, KindPlace}, 1
	}
	if n == 0 || isMonth(t[i].low) || isWeekday(t[i].low) || startsWithDigit(t[i].text) {
		return Thing{}, 0
	}
	return Thing{name, KindPlace}, n
}

// organization reads a name of an employer or a school.
func (r *reader) organization(t []token, i int) (Thing, int) {
	if i+1 < len(t) && t[i].low == "the" {
		if !t[i+1].isName() {
			return Thing{}, 0 // "the bakery" is one of many
		}
		o, n := r.organization(t, i+1)
		return o, n + min(n, 1)
	}
	p, n := r.readPlace(t, i)
	if k := ownersName(t, i); k > 0 {
		p, n = Thing{Name: text(t[i : i+k])}, k
	}
	if n > 0 && i+n < len(t) && facilities()[t[i+n].low] && !t[i+n-1].stop && !t[i+n-1].list {
		return Thing{}, 0 // "the Renton plant" is one of an employer's
	}
	p.Kind = KindOrganization
	return p, n
}

// facilities are what an employer has several of.
var facilities = wordSet(`plant office offices store shop branch factory warehouse site campus hq headquarters team project account desk building
lab department division booth stand location beta program programme event conference meetup party stock shares`)

// ownersName reads a name that has an owner in it: "St. Mary's Hospital", "Trader Joe's".
func ownersName(t []token, i int) int {
	for j := i; j < len(t) && j-i < maxName && t[j].isName(); j++ {
		if !strings.HasSuffix(t[j].low, "'s") || j == i && (j+1 >= len(t) || !t[j+1].isName()) {
			if t[j].stop || t[j].list {
				return 0
			}
			continue
		}
		end := j + 1
		for end < len(t) && end-i < maxName && t[end].isName() && !t[end-1].stop && !t[end-1].list {
			end++
		}
		return end - i
	}
	return 0
}

// phrase reads a noun phrase: words up to one that does not belong to it.
func phrase(t []token, i int) (Thing, int) {
	start := i
	if i < len(t) && (t[i].low == "a" || t[i].low == "an") {
		i++
	}
	if i < len(t) && t[i].low == "the" {
		// "the second one" depends on what was said before; "the Helix editor" does not.
		if i+1 >= len(t) || !t[i+1].isName() && !isTech(t[i+1].text) {
			return Thing{}, 0
		}
		i++
	}
	j := i
	for ; j < len(t) && j-i <= maxPhrase; j++ {
		w := t[j]
		if strings.Contains(w.text, "\x01") {
			return Thing{}, 0
		}
		if stopWords()[w.low] && !(j == i && w.isName() && len(t[j].text) > 1 && !notInSubject()[w.low]) {
			break
		}
		if j > i && isDuration(t, j) {
			break
		}
		if w.stop || w.list {
			j++
			break
		}
	}
	if j == i || j-i > maxPhrase || noObject()[t[i].low] || i > start && amounts()[t[i].low] {
		return Thing{}, 0
	}
	return Thing{text(t[i:j]), KindThing}, j - start
}

// amounts are what "a … of" something is.
var amounts = wordSet(`lot bunch couple kind sort few bit little number mix combination variety ton variant sense chance way`)

// isDuration says whether a number of units of time begins at token i: "two days ago".
func isDuration(t []token, i int) bool {
	if _, ok := number(t, i); !ok || i+1 >= len(t) {
		return false
	}
	_, ok := back(time.Time{}, 0, t[i+1].low)
	return ok || t[i+1].low == "of"
}

// noObject are words with which no thing begins that lasts.
var noObject = wordSet(`it this that these those them him her your his their its one ones something anything nothing everything some any all
both more less what which who how when where why each every another other such same only just so too very as to way idea first second
last next following wrong right`)

// stopWords end a phrase.
var stopWords = wordSet(`for in on at with from by of to into onto over under about since until till because as so but and or nor than then
when where while if unless though although which who that whose what why how not now too also here there anymore any again instead
today yesterday tomorrow tonight daily everywhere always mostly often btw obviously already myself ourselves himself herself themselves everyday
every each all i you he she it we they me us them is are am was were be been do does did have has had will would can could should
might must please pls thanks thx via per within without between through during after before except besides like rather basically
really actually currently nowadays only just both either neither ago last next this these those my our your his her their its
whenever wherever exclusively mainly lately recently still yet ok okay lol haha tbh imo fyi alongside inside outside across`)

// things reads a list of phrases: "Go, Python and Rust".
func things(t []token, i int) ([]Thing, int) {
	var list []Thing
	for len(list) < maxList {
		o, n := phrase(t, i)
		if n == 0 || len(list) > 0 && (!likeThing(t[i:i+n]) || actsBehind(t, i+n)) {
			break
		}
		list = append(list, o)
		i += n
		last := t[i-1]
		switch {
		case i < len(t) && (t[i].low == "and" || t[i].low == "&" || t[i].low == "plus") && !last.stop:
			if i+1 >= len(t) {
				return list, i
			}
			i++
		case i < len(t) && last.list:
			if t[i].low == "and" {
				i++
			}
		default:
			return list, i
		}
	}
	return list, i
}

// actsBehind says whether what stands before token i does something, and is no thing of a list: "…, Core Data made me cry".
func actsBehind(t []token, i int) bool {
	if i >= len(t) || t[i-1].stop || t[i-1].list {
		return false
	}
	switch t[i].low {
	case "me", "us", "him", "them", "it", "has", "had", "does", "did", "will", "would", "can", "could", "should", "might", "must":
		return true
	}
	return isBe(t[i].low) || personal()[t[i].low]
}

// likeThing says whether what follows "and" goes on with a list: a name, or one word at the end of a phrase.
func likeThing(t []token) bool {
	_, isVerb := verbs()[t[0].low]
	return t[0].isName() || isTech(text(t)) || isLanguage(t[0].low) || !isVerb && len(t) == 1
}
