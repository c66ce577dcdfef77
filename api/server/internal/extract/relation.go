package extract

import (
	"strings"
	"sync"
)

// Cardinality says how many targets a relation holds at a time, and what replaces one.
type Cardinality int

const (
	// Many targets at a time; a new one retires nothing.
	Many Cardinality = iota
	// Single is one target for each source: another one replaces it with a cue of change or a later time.
	Single
	// SingleOnCue is like Single, but only a cue of change replaces: two may well hold at a time.
	SingleOnCue
	// OneSource is one source for each target, replaced on a cue of change only.
	OneSource
)

// Relation is a kind of claim.
type Relation struct {
	Name string
	// Verb joins source and target to a statement.
	Verb        string
	Cardinality Cardinality
	TargetKind  string
}

// The relations that claims have.
const (
	Named      = "name"
	LivesIn    = "lives_in"
	ComesFrom  = "comes_from"
	WorksAt    = "works_at"
	HasRole    = "has_role"
	ReportsTo  = "reports_to"
	WorksOn    = "works_on"
	Owns       = "owns"
	Maintains  = "maintains"
	Leads      = "leads"
	Uses       = "uses"
	RunsOn     = "runs_on"
	WrittenIn  = "written_in"
	LocatedIn  = "located_in"
	Version    = "version"
	Scheduled  = "scheduled_for"
	DueOn      = "due_on"
	Decided    = "decided"
	Prefers    = "prefers"
	Likes      = "likes"
	Dislikes   = "dislikes"
	Speaks     = "speaks"
	Learns     = "learns"
	AllergicTo = "allergic_to"
	Diet       = "diet"
	Birthday   = "birthday"
	TimeZone   = "time_zone"
	StudiesAt  = "studies_at"
	MarriedTo  = "married_to"
	MemberOf   = "member_of"
	FixedIn    = "fixed_in"
	Plays      = "plays"
	Collects   = "collects"
	Teaches    = "teaches"
	Drives     = "drives"
	Studies    = "studies"
	Attends    = "attends"
	Volunteers = "volunteers_at"
	Started    = "started"
	Finished   = "finished"
	Graduated  = "graduated_from"
	GrewUpIn   = "grew_up_in"
	Plans      = "plans"
	Visited    = "visited"
	Attended   = "attended"
)

// Relations is the table of all relations whose names are fixed. Relations of persons ("sister") and attributes
// ("editor") that the rules read out of the words themselves are added by [RelationOf].
var Relations = sync.OnceValue(func() map[string]Relation {
	list := []Relation{
		{Named, "is named", SingleOnCue, KindPerson},
		{LivesIn, "lives in", Single, KindPlace},
		{ComesFrom, "comes from", Single, KindPlace},
		{WorksAt, "works at", Single, KindOrganization},
		{ReportsTo, "reports to", Single, KindPerson},
		{Version, "is at version", Single, KindThing},
		{Scheduled, "is scheduled for", Single, KindDate},
		{DueOn, "is due on", Single, KindDate},
		{Birthday, "has their birthday on", Single, KindDate},
		{TimeZone, "is in the time zone", Single, KindThing},
		{Diet, "eats", Single, KindThing},
		{MarriedTo, "is married to", Single, KindPerson},

		{HasRole, "is", SingleOnCue, KindThing},
		{StudiesAt, "studies at", SingleOnCue, KindOrganization},
		{LocatedIn, "is in", SingleOnCue, KindPlace},

		{Owns, "owns", OneSource, KindThing},
		{Maintains, "maintains", OneSource, KindThing},
		{Leads, "leads", OneSource, KindThing},

		{WorksOn, "works on", Many, KindThing},
		{MemberOf, "is a member of", Many, KindGroup},
		{Uses, "uses", Many, KindThing},
		{RunsOn, "runs on", Many, KindThing},
		{WrittenIn, "is written in", Many, KindThing},
		{FixedIn, "is fixed in", Many, KindThing},
		{Decided, "decided", Many, KindThing},
		{Prefers, "prefers", Many, KindThing},
		{Likes, "likes", Many, KindThing},
		{Dislikes, "dislikes", Many, KindThing},
		{Speaks, "speaks", Many, KindThing},
		{Learns, "is learning", Many, KindThing},
		{AllergicTo, "is allergic to", Many, KindThing},
		{Plays, "plays", Many, KindThing},
		{Collects, "collects", Many, KindThing},
		{Teaches, "teaches", Many, KindThing},
		{Drives, "drives", Many, KindThing},
		{Studies, "studies", Many, KindThing},
		{Attends, "attends", Many, KindThing},
		{Volunteers, "volunteers at", Many, KindOrganization},
		{Started, "started", Many, KindThing},
		{Finished, "finished", Many, KindThing},
		{Graduated, "graduated from", Many, KindOrganization},
		{GrewUpIn, "grew up in", Many, KindPlace},
		{Plans, "plans", Many, KindThing},
		{Visited, "visited", Many, KindThing},
		{Attended, "attended", Many, KindThing},
	}
	table := make(map[string]Relation, len(list)+len(kin)+len(attributes))
	for _, r := range list {
		table[r.Name] = r
	}
	for _, k := range kin {
		table[relationName(k.name)] = Relation{relationName(k.name), "has the " + k.name, k.cardinality, k.kind}
	}
	for _, a := range attributes {
		if _, fixed := table[relationName(a)]; fixed {
			continue
		}
		table[relationName(a)] = Relation{relationName(a), "has the " + a, Single, KindThing}
	}
	return table
})

// RelationOf returns what is known of a relation. One that is not in the table holds many targets.
func RelationOf(name string) Relation {
	if r, ok := Relations()[name]; ok {
		return r
	}
	for _, p := range []string{"favourite_", "preferred_", "default_"} {
		if strings.HasPrefix(name, p) { // one may have several, until one says that another has taken its place
			return Relation{Name: name, Verb: "has the " + strings.ReplaceAll(name, "_", " "), Cardinality: SingleOnCue, TargetKind: KindThing}
		}
	}
	return Relation{Name: name, Verb: name, Cardinality: Many, TargetKind: KindThing}
}
