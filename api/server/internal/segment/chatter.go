package segment

import (
	"strings"
	"sync"
	"unicode"
)

const (
	maxChatterBytes = 400
	maxChatterWords = 30
	maxPhraseWords  = 8
	maxLightWords   = 12
)

// IsChatter reports whether a text only greets, thanks, acknowledges or steers ("ok", "thanks!", "go on"), or has no
// words at all. It goes by phrases and words without substance, which must cover the whole text: one word of any other
// kind, and the text is kept.
func IsChatter(text string) bool { return isChatter(text, false) }

// isChatter is IsChatter; of a text that answers a question it is true for thanks and acknowledgements alone: "go" and
// "next" may be what was asked for, and words without substance say something together with the question.
func isChatter(text string, answers bool) bool {
	if len(text) > maxChatterBytes {
		return false
	}
	said := words(text)
	if len(said) > maxChatterWords {
		return false
	}
	all, count := phrases(), len(said)
	for i, w := range said {
		said[i] = all.spelling(w)
	}
	for len(said) > 0 {
		n := min(len(said), maxPhraseWords)
		for n > 0 && !all.phrases[strings.Join(said[:n], " ")] {
			n--
		}
		if answers && n > 0 && all.choices[strings.Join(said[:n], " ")] {
			return false
		}
		if n == 0 {
			if answers || !all.light[said[0]] || count > maxLightWords {
				return false
			}
			n = 1
		}
		said = said[n:]
	}
	return true
}

// words are the lower-case runs of letters, digits and apostrophes of a text.
func words(text string) []string {
	text = strings.ReplaceAll(strings.ToLower(text), "’", "'")
	list := strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '\''
	})
	kept := list[:0]
	for _, w := range list {
		// A mark alone is a part of an emoji, such as its presentation selector.
		if w = strings.Trim(w, "'"); strings.IndexFunc(w, func(r rune) bool { return !unicode.IsMark(r) }) >= 0 {
			kept = append(kept, w)
		}
	}
	return kept
}

// phraseBook has the phrases that establish nothing, the words in them, and those that have no substance of their own.
type phraseBook struct{ phrases, words, light, choices map[string]bool }

var phrases = sync.OnceValue(func() phraseBook {
	book := phraseBook{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}}
	for l := range strings.Lines(chatter) {
		for p := range strings.SplitSeq(strings.TrimSpace(l), ", ") {
			book.phrases[p] = true
			for w := range strings.SplitSeq(p, " ") {
				book.words[w] = true
			}
		}
	}
	for w := range strings.FieldsSeq(light) {
		book.light[w] = true
	}
	for p := range strings.SplitSeq(choices, ", ") {
		book.choices[p] = true
	}
	return book
})

// spelling finds the known word that a drawn-out one stands for: "yesss", "thaanks", "hahaha".
func (b phraseBook) spelling(w string) string {
	if b.words[w] {
		return w
	}
	if len(w) > 3 && (strings.Trim(w, "ha") == "" || strings.Trim(w, "he") == "" || strings.Trim(w, "lo") == "") {
		return "haha"
	}
	for _, most := range []int{2, 1} {
		if short := squeeze(w, most); short != w && b.words[short] {
			return short
		}
	}
	return w
}

// squeeze shortens every run of one letter to at most so many.
func squeeze(w string, most int) string {
	var b strings.Builder
	var last rune
	run := 0
	for _, r := range w {
		if r != last {
			last, run = r, 0
		}
		if run++; run <= most {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// light are words that say nothing unless beside others: a short text of nothing else establishes nothing.
const light = `i i'm i'll i'd i've me my you you're you'll your we we'll us it it's its that that's this these those the a an and or but so if then than
as at for to of on in with about is are was were be been am do does did don't doesn't didn't done doing can can't could couldn't would
wouldn't will won't shall should may might must have has had let let's lets get got come keep kept stay try tries trying tried retry
retrying continue continuing proceed proceeding wait waiting look looks looking hopes glad happy great good well better best fine nice
sure sorry again now still yet already just only very really quite too also even please more most much many some any anything everything
something nothing else other one ones all both each every here there when where what why how who which whatever question questions answer
step steps thing things way enjoy take give make made bit lot little moment sec patience bot hero star rock legend genius kidding wonder
wondering right wrong ok okay yes not ever up y n`

// choices are the phrases that may be the answer to a question rather than steering.
const choices = `go, next, next one, now, then, later, morning, evening, good morning, good night, both, any, either, all, never, everyone, team, claude, gpt, gemini, copilot, cursor, push, commit, merge it, test, testing, ping, back, here, start, stop, skip, more, again, redo, undo, revert, retry, cancel, exit, done, ready, fixed, working, solved, whatever, tomorrow, today, assistant`

// chatter are the phrases that establish nothing. Those of one letter's difference in spelling are left out where
// spelling finds them.
const chatter = `hi, hello, hey, hiya, howdy, yo, hello there, hi there, hey there, greetings, welcome, welcome back, hi again, hello again
good morning, good afternoon, good evening, good night, goodnight, morning, evening, gm, gn, good day, bye, goodbye, bye bye, see you, see ya, see you later, see you tomorrow, cya, later, take care, have a good one, have a nice day, have a great day, have a good day, have a good night, have a nice weekend, have a great weekend, have fun, good luck
everyone, all, folks, team, friend, buddy, mate, man, dude, bro, again, you, there, claude, chatgpt, gpt, gemini, copilot, cursor, assistant
how are you, how are you doing, how are you today, how's it going, what's up, sup, how do you do, i'm fine, i'm good, doing well, doing good, not bad, nice to meet you, pleased to meet you, nice to see you, good to see you
thanks, thank you, thank you so much, thank you very much, thanks a lot, thanks so much, thanks a bunch, thanks a million, many thanks, thanks again, thanks for that, thanks for the help, thanks for your help, thank you for your help, thx, tx, ty, tysm, tyvm, tnx, cheers, much appreciated, appreciated, i appreciate it, appreciate it, ta, for the help, for your help
you're welcome, you are welcome, youre welcome, yw, no problem, np, no worries, nw, my pleasure, anytime, any time, don't mention it, happy to help, glad to help, glad i could help, glad that helped, glad it helped, glad it works, glad it worked, glad to hear that, glad to hear it, great to hear, good to hear, of course, not at all, happy coding, happy hacking, enjoy, sorry, my apologies, apologies, i apologize, i apologise, pardon, excuse me, my bad, oops, whoops
ok, okay, k, kk, okey, okie, okey dokey, okay then, ok then, alright, all right, right, sure, sure thing, yes, yep, yup, yeah, yea, yah, ya, aye, yes please, yes sir, no, nope, nah, no thanks, no thank you, not yet, not now, not really, fine, good, great, nice, cool, perfect, excellent, awesome, amazing, wonderful, fantastic, lovely, brilliant, superb, neat, sweet, wow, omg, yay, woohoo, hooray, exactly, correct, indeed, absolutely, definitely, certainly, totally, true, agreed, agree, i agree, makes sense, that makes sense, sounds good, sounds great, sounds good to me, sounds right, looks good, looks good to me, looks great, looks right, looks fine, lgtm, sgtm, wfm, works for me, that works, that did not work, that didn't work, it didn't work, didn't work, works now, it works now, that worked, it worked, worked, that helped, that's it, that's all, that's right, that's correct, that's fine, that's good, that's great, that's perfect, that's ok, that's okay, that's the one, that's what i wanted, that is it, that is all, that is right, that is correct, that will be all, that'll be all, nothing else, nothing more, all good, all set, all done, we're good, i'm good, im good, good to go, good job, great job, nice job, nice work, great work, good work, well done, good stuff, great stuff, nice one, good one, good point, fair enough, fair, good call, good idea, great idea, love it, i love it, i like it, like it, beautiful, congrats, congratulations, much better, better
got it, gotcha, noted, understood, roger, roger that, copy, copy that, ack, acknowledged, i see, i understand, i got it, will do, on it, i'm on it, right away, duly noted, i'll remember that, i'll remember, i'll remember it, i'll keep that in mind, i'll keep it in mind, i've noted that, i've noted it, i have noted that, i've made a note of that, i've made a note, i'll make a note of that, i'll note that, good to know, thanks for letting me know, thank you for letting me know, thanks for the update, thanks for the info, thanks for sharing, thanks for the correction, thank you for the correction, thanks for the clarification, saved, stored, kept, filed, remembered, i've saved that, i've remembered that
done, done that, finished, complete, completed, ready, it's done, that's done, almost, almost there, one moment, one moment please, one sec, one second, just a moment, just a sec, just a second, a moment, hold on, hang on, wait, wait a moment, wait a sec, brb, back, i'm back, here, still there, are you there, you there, hello are you there, test, testing, testing testing, this is a test, ping, pong
go, go on, go ahead, go for it, continue, please continue, continue please, carry on, keep going, proceed, please proceed, next, next one, next one please, next please, more, and, and then, then, now, please, pls, plz, please do, do it, do that, do so, please do it, do it please, just do it, do it again, let's do it, let's do that, let's go, lets go, let's continue, let's go on, let's go ahead, let's move on, move on, let's start, let's begin, start, begin, try, try it, try that, try again, please try again, try it again, try that again, try once more, one more time, once more, once again, again please, retry, redo, redo it, run it, run it again, run that, run again, rerun, rerun it, repeat, repeat that, undo, undo it, undo that, undo it please, revert, revert it, revert that, stop, stop it, stop that, stop here, please stop, cancel, cancel that, abort, exit, skip, skip it, skip that, ignore that, never mind, nevermind, nvm, forget it, forget about it, leave it, don't worry, don't worry about it, no need, not needed, doesn't matter, it doesn't matter, whatever, up to you, your call, as you like, you decide, either, either is fine, both, any, whichever, go with that, go with it, use that, keep it, keep that, ship it, merge it, commit, commit it, commit that, push, push it, commit and push, apply, apply it, apply that, save it, fix it, fix that, fix it please, please fix, please fix it, fix this, please fix this, show me, show me more, tell me more, go back, back up, try harder, try something else, something else, again but better, keep trying, keep at it, do the rest, do the same, same, same here, same again, ditto, and again, finish it, finish that, finish up, wrap it up, wrap up, approved, approve, accept, accepted, confirm, confirmed, i confirm, permission granted, allowed, deny, denied, rejected
figured it out, i figured it out, got it working, i got it, found it, i found it, solved, solved it, i solved it, fixed, fixed it, i fixed it, it's fixed, it's fixed now, all fixed, resolved, sorted, it's working, it's working now, it is working now, working now, working
how can i help, how can i help you, how can i help you today, how can i help today, how may i help you, how may i help you today, how can i assist you, how can i assist you today, how may i assist you, how may i assist you today, how can i be of help, how can i be of assistance, what can i do for you, what can i do for you today, what can i help you with, what can i help you with today, what can i help with, what do you need, what would you like to do, what would you like to do today, what would you like to do next, what's next, what is next, what next, what are we working on, what are we working on today, what shall we work on, what shall we do next, what do you want to do next, what do you want to work on, what are you working on, how can i help you now
anything else, anything else i can help with, anything else i can help you with, anything else i can do, anything else i can do for you, is there anything else, is there anything else i can help with, is there anything else i can help you with, is there anything else i can do for you, is there anything else you need, anything else you need, do you need anything else, need anything else, can i help you with anything else, can i help with anything else, let me know if you need anything else, let me know if there is anything else, let me know if there's anything else, let me know if you need anything, let me know if you need help, let me know if you have any questions, let me know if you have any other questions, let me know if that helps, let me know if that works, let me know how it goes, let me know how that goes, let me know, feel free to ask, just ask, i'm here if you need me, i'm here to help, i'm here, here to help, i'm ready, ready when you are, i hope that helps, i hope this helps, hope that helps, hope this helps, hope it helps, i'd be happy to help, i'd be glad to help, i'm happy to help, i'm glad to help, i'm glad i could help, i'm glad that helped, i'm glad it works, i'm glad it works now, glad it works now, glad that worked, glad it's working, glad it's working now, glad you figured it out, glad you got it working, glad you sorted it out
shall i continue, shall i go on, shall i proceed, shall i go ahead, shall i, shall i do that, shall i do it, shall i try, shall i try again, should i continue, should i go on, should i proceed, should i go ahead, should i, should i do that, should i do it, should i try again, do you want me to continue, do you want me to go on, do you want me to proceed, do you want me to do that, want me to continue, want me to proceed, want me to go ahead, would you like me to continue, would you like me to proceed, would you like me to go ahead, would you like me to do that, can i continue, may i continue, may i proceed, can you continue, can you go on, can you try again, could you try again, can you do it, can you do that, could you do that, can you fix it, can you fix that, can you repeat that, ready to continue, ready, ok to continue, ok to proceed, is that ok, is that okay, is this ok, is that right, is that correct, does that work, does that help, does that make sense, does it work, did that work, did it work, did that help, does this look right, does this look good, does that look good, does it make sense
hm, hmm, mm, mhm, mmhm, uh, um, uh huh, uhm, er, eh, ah, aha, ahh, oh, ohh, ooh, oof, ugh, meh, huh, argh, phew, lol, lmao, rofl, haha, ha, heh, hehe, xd, well, so, anyway, anyways, just, really, very, very much, so much, much, a lot, for now, for today, today, now then, then, also, too, actually, ah ok, oh ok, oh well, oh no, oh yes, oh nice, oh cool, oh right, i guess, i think so, i guess so, guess so, i suppose, maybe, perhaps, possibly, probably, idk, i don't know, dunno, don't know, no idea, not sure, i'm not sure, we'll see, it depends, why not, why, how, what, when, where, who, really now, seriously, for real, you know, of course not, my friend, everybody, guys, sir, madam, ma'am
danke, danke dir, danke schön, danke sehr, dankeschön, vielen dank, besten dank, bitte, bitte sehr, gern geschehen, gerne, alles klar, ja, ja bitte, nein, nein danke, doch, genau, gut, sehr gut, super, prima, klar, passt, stimmt, verstanden, weiter, mach weiter, weiter bitte, nochmal, noch einmal, hallo, moin, guten morgen, guten tag, guten abend, servus, grüß gott, tschüss, tschüß, bis später, bis dann, los, fertig, stopp, halt, moment, moment bitte
gracias, muchas gracias, mil gracias, de nada, hola, buenas, buenos días, buenos dias, buenas tardes, buenas noches, adiós, adios, hasta luego, sí, si, vale, claro, por favor, perfecto, bien, muy bien, genial, entendido, de acuerdo, correcto, exacto, sigue, continúa, continua, adelante, otra vez, listo
merci, merci beaucoup, de rien, je vous en prie, bonjour, bonsoir, salut, coucou, au revoir, à bientôt, oui, non, d'accord, ok merci, parfait, très bien, super merci, continue stp, continuez, s'il te plaît, s'il vous plaît, bien sûr, compris, encore, vas y, allez, c'est bon, génial
obrigado, obrigada, muito obrigado, muito obrigada, valeu, olá, ola, oi, bom dia, boa tarde, boa noite, tchau, sim, não, nao, certo, beleza, perfeito, continue por favor, de nada obrigado, grazie, grazie mille, prego, ciao, buongiorno, buonasera, salve, arrivederci, sì, va bene, perfetto, certo grazie, bene, continua pure, avanti, ancora
dank je, dank je wel, dankjewel, dank u, dank u wel, bedankt, hoi, hallo daar, goedemorgen, goedemiddag, goedenavond, doei, ja graag, nee, prima zo, goed, ga door, tack, tack så mycket, hej, hejsan, god morgon, nej, bra, takk, tusen takk, mange takk, tak, mange tak, hei, kiitos, moi, dziękuję, dzięki, cześć, dzień dobry, tak jest, nie, dobrze, děkuji, díky, ahoj, dobrý den, ano, ne, dobře, teşekkürler, teşekkür ederim, sağol, merhaba, selam, evet, hayır, tamam, köszönöm, szia, igen, nem, ευχαριστώ, γεια, γεια σου, ναι, όχι, εντάξει, mulțumesc, salutare, bună, da, nu
спасибо, спасибо большое, большое спасибо, пожалуйста, привет, здравствуйте, здравствуй, добрый день, доброе утро, добрый вечер, пока, до свидания, да, нет, хорошо, ладно, отлично, понятно, понял, поняла, ок, окей, продолжай, продолжайте, дальше, ещё раз, еще раз, дякую, привіт, так, ні, добре
شكرا, شكراً, شكرا لك, شكراً لك, شكرا جزيلا, شكراً جزيلاً, عفوا, عفواً, مرحبا, مرحباً, أهلا, أهلاً, اهلا, السلام عليكم, وعليكم السلام, صباح الخير, مساء الخير, مع السلامة, نعم, لا, حسنا, حسناً, تمام, تم, طيب, ممتاز, استمر, تابع, من فضلك, תודה, תודה רבה, שלום, כן, לא, בסדר, ممنون, مرسی, سلام, بله, نه
谢谢, 谢谢你, 谢谢您, 多谢, 感谢, 不客气, 你好, 您好, 早上好, 早, 晚上好, 再见, 好, 好的, 好吧, 是, 是的, 对, 对的, 不, 不是, 没问题, 可以, 行, 明白, 明白了, 知道了, 收到, 继续, 请继续, 再试一次, 謝謝, 謝謝你, 不客氣, 好喔, 對, 沒問題, 繼續, 嗯, 哈哈, 嗯嗯
ありがとう, ありがとうございます, ありがとうございました, どうも, どうもありがとう, どうもありがとうございます, どういたしまして, こんにちは, こんばんは, おはよう, おはようございます, さようなら, またね, はい, いいえ, うん, ええ, 了解, 了解です, 了解しました, わかった, わかりました, 分かりました, 承知しました, かしこまりました, オッケー, いいね, いいですね, お願いします, よろしく, よろしくお願いします, 続けて, 続けてください, もう一度, もう一回, なるほど, すごい, 大丈夫, 大丈夫です, 完璧
감사합니다, 고마워, 고마워요, 고맙습니다, 천만에요, 안녕, 안녕하세요, 안녕히 계세요, 네, 예, 아니요, 아니, 응, 좋아, 좋아요, 알겠어, 알겠습니다, 알겠어요, 계속, 계속해, 계속해 주세요, 다시, धन्यवाद, शुक्रिया, नमस्ते, हाँ, हां, नहीं, ठीक है, अच्छा, cảm ơn, cám ơn, xin chào, vâng, không, được, terima kasih, halo, iya, ya, tidak, baik, oke, ขอบคุณ, ขอบคุณครับ, ขอบคุณค่ะ, สวัสดี, สวัสดีครับ, สวัสดีค่ะ, ใช่, ครับ, ค่ะ, โอเค`
