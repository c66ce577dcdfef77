package extract

import (
	"strconv"
	"strings"
	"time"
)

// when is what a clause says about time.
type when struct {
	at    *time.Time // "yesterday", "in March": when a change took place
	since *time.Time // "since 2021", "for three years"
	until *time.Time // "until May"
	next  *time.Time // "next quarter": still to come
	// period ends what at begins: "in 2016" is a whole year.
	period *time.Time
	// before is next a year earlier, when the words name no year: what is told of as done was then.
	before *time.Time
}

// whenOf reads all expressions of time in a clause, relative to a moment in its own offset.
func whenOf(t []token, now time.Time) when {
	var w when
	for i := 0; i < len(t); i++ {
		switch t[i].low {
		case "since":
			if start, _, n := date(t, i+1, now); n > 0 {
				w.since = backwards(start, now, t[i+1:i+1+n])
				i += n
			}
		case "from":
			if start, _, n := date(t, i+1, now); n > 0 {
				w.since = &start
				i += n
			}
		case "to", "until", "till", "through":
			if start, end, n := date(t, i+1, now); n > 0 {
				w.until = &start
				if t[i].low != "until" && t[i].low != "till" {
					w.until = &end
				}
				i += n
			}
		case "for":
			if at, n := duration(t, i+1, now); n > 0 {
				w.since = &at
				i += n
			}
		default:
			start, end, n := date(t, i, now)
			if n == 0 {
				continue
			}
			words := t[i : i+n]
			i += n - 1
			if start.After(now) {
				w.next = &start
				w.before = lastYears(start, words)
			} else {
				w.at, w.period = &start, &end
			}
		}
	}
	return w
}

// lastYears returns the same day a year before, when the words name a month and no year.
func lastYears(at time.Time, words []token) *time.Time {
	month := false
	for _, w := range words {
		if _, ok := yearOf(w.low); ok || strings.Count(w.low, "-") == 2 || w.low == "next" {
			return nil
		}
		month = month || isMonth(w.low)
	}
	if !month {
		return nil
	}
	at = at.AddDate(-1, 0, 0)
	return &at
}

// backwards moves a month without a year to the last one that has begun.
func backwards(at, now time.Time, words []token) *time.Time {
	if at.After(now) && isMonth(words[0].low) {
		at = at.AddDate(-1, 0, 0)
	}
	return &at
}

// duration reads "three years", "two weeks now" and returns when that began.
func duration(t []token, i int, now time.Time) (time.Time, int) {
	n := 0
	for i+n < len(t) && (t[i+n].low == "about" || t[i+n].low == "almost" || t[i+n].low == "over" || t[i+n].low == "the" || t[i+n].low == "last" || t[i+n].low == "past") {
		n++
	}
	count, ok := number(t, i+n)
	if !ok || i+n+1 >= len(t) {
		return time.Time{}, 0
	}
	at, ok := back(now, count, t[i+n+1].low)
	return at, ifOK(ok, n+2)
}

func ifOK(ok bool, n int) int {
	if ok {
		return n
	}
	return 0
}

// back goes a number of units back from now. A day is a day, whatever the clocks did.
func back(now time.Time, count int, unit string) (time.Time, bool) {
	today := day(now)
	switch strings.TrimSuffix(unit, "s") {
	case "minute", "min", "hour", "hr":
		return today, true
	case "day":
		return today.AddDate(0, 0, -count), true
	case "week":
		return today.AddDate(0, 0, -7*count), true
	case "fortnight":
		return today.AddDate(0, 0, -14*count), true
	case "month":
		return today.AddDate(0, -count, 0), true
	case "quarter":
		return today.AddDate(0, -3*count, 0), true
	case "year", "yr":
		return today.AddDate(-count, 0, 0), true
	}
	return time.Time{}, false
}

// day is the beginning of a moment's day, in its own offset.
func day(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
}

// number reads a small number, also in words; "a few" is three.
func number(t []token, i int) (int, bool) {
	if i >= len(t) {
		return 0, false
	}
	words := []string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}
	for n, w := range words {
		if t[i].low == w {
			return n, true
		}
	}
	switch t[i].low {
	case "a", "an":
		return 1, true
	case "couple":
		return 2, true
	case "few":
		return 3, true
	}
	n, err := strconv.Atoi(t[i].low)
	return n, err == nil && n >= 0 && n < 1000
}

// date reads an expression of time that begins at token i: the beginning and the end of what it means, and how many
// tokens it has, 0 when there is none.
func date(t []token, i int, now time.Time) (start, end time.Time, n int) {
	if i >= len(t) {
		return start, end, 0
	}
	skip := 0
	switch t[i].low {
	case "in", "on", "at", "early", "late", "mid", "around", "about", "the", "of", "back":
		skip = 1
		if i+1 < len(t) && (t[i+1].low == "the" || t[i+1].low == "early" || t[i+1].low == "late" || t[i+1].low == "around" || t[i+1].low == "in") {
			skip = 2
		}
	}
	for _, read := range []func([]token, int, time.Time) (time.Time, time.Time, int){relativeDay, ago, namedPeriod, calendarDate} {
		if start, end, n = read(t, i+skip, now); n > 0 {
			return start, end, n + skip
		}
	}
	return start, end, 0
}

func relativeDay(t []token, i int, now time.Time) (start, end time.Time, n int) {
	if i >= len(t) {
		return start, end, 0
	}
	offset := 0
	switch t[i].low {
	case "today", "tonight":
	case "yesterday":
		offset = -1
	case "tomorrow":
		offset = 1
	default:
		return start, end, 0
	}
	start = day(now).AddDate(0, 0, offset)
	return start, start.AddDate(0, 0, 1), 1
}

// ago reads "two days ago", "a couple of weeks ago".
func ago(t []token, i int, now time.Time) (start, end time.Time, n int) {
	j := i
	if j+1 < len(t) && t[j].low == "a" && (t[j+1].low == "couple" || t[j+1].low == "few") {
		j++
	}
	count, ok := number(t, j)
	if !ok {
		return start, end, 0
	}
	j++
	if j < len(t) && t[j].low == "of" {
		j++
	}
	if j+1 >= len(t) || t[j+1].low != "ago" && t[j+1].low != "back" {
		return start, end, 0
	}
	start, ok = back(now, count, t[j].low)
	return start, start.AddDate(0, 0, 1), ifOK(ok, j+2-i)
}

// namedPeriod reads "last weekend", "this month", "next Tuesday".
func namedPeriod(t []token, i int, now time.Time) (start, end time.Time, n int) {
	if i+1 >= len(t) {
		return start, end, 0
	}
	step := 0
	switch t[i].low {
	case "last", "past":
		step = -1
	case "this":
	case "next":
		step = 1
	default:
		return start, end, 0
	}
	start, end, ok := period(day(now), step, t[i+1].low)
	return start, end, ifOK(ok, 2)
}

func period(today time.Time, step int, unit string) (start, end time.Time, ok bool) {
	monday := today.AddDate(0, 0, -(int(today.Weekday())+6)%7)
	first := time.Date(today.Year(), today.Month(), 1, 0, 0, 0, 0, today.Location())
	switch unit {
	case "morning", "afternoon", "evening":
		return today, today.AddDate(0, 0, 1), step == 0
	case "night":
		return today.AddDate(0, 0, step), today.AddDate(0, 0, step+1), true
	case "week":
		start = monday.AddDate(0, 0, 7*step)
		return start, start.AddDate(0, 0, 7), true
	case "weekend":
		start = monday.AddDate(0, 0, 5+7*step)
		return start, start.AddDate(0, 0, 2), true
	case "month":
		start = first.AddDate(0, step, 0)
		return start, start.AddDate(0, 1, 0), true
	case "quarter":
		start = first.AddDate(0, -(int(first.Month())-1)%3+3*step, 0)
		return start, start.AddDate(0, 3, 0), true
	case "year":
		start = time.Date(today.Year()+step, 1, 1, 0, 0, 0, 0, today.Location())
		return start, start.AddDate(1, 0, 0), true
	}
	if d, isDay := weekdayOf(unit); isDay {
		start = today.AddDate(0, 0, (int(d)-int(today.Weekday())+7)%7)
		if step < 0 || step > 0 && start.Equal(today) {
			start = start.AddDate(0, 0, 7*step)
		}
		if step < 0 && !start.Before(today) {
			start = start.AddDate(0, 0, -7)
		}
		return start, start.AddDate(0, 0, 1), true
	}
	if m, isMonth := monthOf(unit); isMonth {
		start = time.Date(today.Year(), m, 1, 0, 0, 0, 0, today.Location())
		if step < 0 && start.After(today) {
			start = start.AddDate(-1, 0, 0)
		}
		if step > 0 && !start.After(today) {
			start = start.AddDate(1, 0, 0)
		}
		return start, start.AddDate(0, 1, 0), true
	}
	switch unit {
	case "spring", "summer", "autumn", "fall", "winter":
		month := map[string]time.Month{"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}[unit]
		start = time.Date(today.Year()+step, month, 1, 0, 0, 0, 0, today.Location())
		return start, start.AddDate(0, 3, 0), true
	}
	return start, end, false
}

// calendarDate reads "2025-03-14", "March 14th, 2025", "12 May", "March 2024", "January", "2021".
func calendarDate(t []token, i int, now time.Time) (start, end time.Time, n int) {
	if i >= len(t) {
		return start, end, 0
	}
	loc := now.Location()
	if d, err := time.ParseInLocation(time.DateOnly, t[i].low, loc); err == nil {
		return d, d.AddDate(0, 0, 1), 1
	}
	if y, ok := yearOf(t[i].low); ok {
		start = time.Date(y, 1, 1, 0, 0, 0, 0, loc)
		return start, start.AddDate(1, 0, 0), 1
	}
	if m, ok := monthOf(t[i].low); ok {
		return monthDate(t, i, m, now)
	}
	d, ok := dayOfMonth(t[i].low)
	j := i + 1
	if j < len(t) && t[j].low == "of" {
		j++
	}
	if !ok || j >= len(t) {
		return start, end, 0
	}
	m, ok := monthOf(t[j].low)
	if !ok {
		return start, end, 0
	}
	year, more := yearBehind(t, j+1, now)
	start = time.Date(year, m, d, 0, 0, 0, 0, loc)
	return start, start.AddDate(0, 0, 1), j + 1 + more - i
}

// monthDate reads what begins with a month.
func monthDate(t []token, i int, m time.Month, now time.Time) (start, end time.Time, n int) {
	loc := now.Location()
	// "may" and "march" are verbs too.
	if !t[i].isName() && (t[i].low == "may" || t[i].low == "march") && (i == 0 || t[i-1].low != "in" && t[i-1].low != "since") {
		if d := i + 1; d >= len(t) || !startsWithDigit(t[d].low) {
			return start, end, 0
		}
	}
	if i+1 < len(t) && !t[i].stop {
		if d, ok := dayOfMonth(t[i+1].low); ok {
			year, more := yearBehind(t, i+2, now)
			start = time.Date(year, m, d, 0, 0, 0, 0, loc)
			return start, start.AddDate(0, 0, 1), 2 + more
		}
	}
	year, more := yearBehind(t, i+1, now)
	start = time.Date(year, m, 1, 0, 0, 0, 0, loc)
	return start, start.AddDate(0, 1, 0), 1 + more
}

// yearBehind reads the year behind a day or a month. Without one the year is that of now.
func yearBehind(t []token, i int, now time.Time) (year, n int) {
	if i < len(t) {
		if y, ok := yearOf(t[i].low); ok {
			return y, 1
		}
	}
	return now.Year(), 0
}

func yearOf(w string) (int, bool) {
	y, err := strconv.Atoi(w)
	return y, err == nil && len(w) == 4 && y >= 1900 && y < 2100
}

func dayOfMonth(w string) (int, bool) {
	for _, suffix := range []string{"st", "nd", "rd", "th"} {
		w = strings.TrimSuffix(w, suffix)
	}
	d, err := strconv.Atoi(w)
	return d, err == nil && d >= 1 && d <= 31 && len(w) <= 2
}

func monthOf(low string) (time.Month, bool) {
	for m := time.January; m <= time.December; m++ {
		full := strings.ToLower(m.String())
		if low == full || low == full[:3] || low == "sept" && m == time.September {
			return m, true
		}
	}
	return 0, false
}

func weekdayOf(low string) (time.Weekday, bool) {
	low = strings.TrimSuffix(low, "s")
	for d := time.Sunday; d <= time.Saturday; d++ {
		full := strings.ToLower(d.String())
		if low == full || low == full[:3] && low != "sat" && low != "sun" && low != "wed" || low == "tues" && d == time.Tuesday || low == "thur" && d == time.Thursday {
			return d, true
		}
	}
	return 0, false
}

// dateTarget reads a date that something is set for, as it was written; what is relative becomes a date.
func dateTarget(t []token, i int, now time.Time) (Thing, int) {
	start := i
	for i < len(t) && (t[i].low == "on" || t[i].low == "for" || t[i].low == "the" || t[i].low == "by" || t[i].low == "every" || t[i].low == "at") {
		i++
	}
	if i >= len(t) {
		return Thing{}, 0
	}
	name, n := "", 0
	if at, _, k := relativeDay(t, i, now); k > 0 {
		name, n = at.Format(time.DateOnly), k
	} else if at, _, k := namedPeriod(t, i, now); k > 0 && t[i].low != "last" && t[i].low != "past" {
		name, n = at.Format(time.DateOnly), k
	} else if isWeekday(t[i].low) {
		n = 1
		if i+1 < len(t) && !t[i].stop {
			if _, _, k := calendarDate(t, i+1, now); k > 0 {
				n += k
			}
		}
	} else if _, _, k := calendarDate(t, i, now); k > 0 {
		n = k
	} else if isQuarter(t[i].low) || isClock(t[i].low) {
		n = 1
		if i+1 < len(t) {
			if _, ok := yearOf(t[i+1].low); ok {
				n = 2
			}
		}
	}
	if n == 0 {
		return Thing{}, 0
	}
	if name == "" {
		name = text(t[i : i+n])
	}
	if j := i + n; j+1 < len(t) && t[j].low == "at" && isClock(t[j+1].low) && !t[j-1].stop {
		name, n = name+" at "+t[j+1].text, n+2
	}
	return Thing{name, KindDate}, i + n - start
}

func isQuarter(low string) bool {
	return len(low) == 2 && low[0] == 'q' && low[1] >= '1' && low[1] <= '4'
}

func isClock(low string) bool {
	low = strings.TrimSuffix(strings.TrimSuffix(low, "am"), "pm")
	h, m, ok := strings.Cut(low, ":")
	if !ok {
		return (low == "noon" || low == "midnight")
	}
	_, err := strconv.Atoi(h)
	_, err2 := strconv.Atoi(m)
	return err == nil && err2 == nil
}
