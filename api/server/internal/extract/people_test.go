package extract_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-dev/lukasa/api"
)

func TestFamilyAndPets(t *testing.T) {
	check(t, []example{
		{"My wife Noor teaches maths. Our cat is called Biscuit.", []string{"user wife Noor", "Noor teaches maths", "user cat Biscuit"}},
		{"That picture was for my daughter Sara's birthday", []string{"user daughter Sara"}},
		{"I went there with my dog Rex and my friend Ben", []string{"user dog Rex", "user friend Ben"}},
		{"My kids are Emma and Noah. I have two brothers, Ali and Omar.", []string{"user kid Emma", "user kid Noah", "user brother Ali", "user brother Omar"}},
		{"our cats, Max and Coco, sleep", []string{"user cat Max", "user cat Coco"}},
		{"we got another cat named Bailey too", []string{"user cat Bailey, change"}},
		{"I got a puppy two weeks ago! Her name's Coco and she's adorable", []string{"user dog Coco"}},
		{"my team lead is Farid. My boss Helga wants weekly reports.", []string{"user team_lead Farid", "user reports_to Helga"}},
		{"my dog Rex died. my late dog Max. our neighbour Bob's cat. my kids Anna's age. my old boss Tom. my wife is tired. my wife is great", nil},
		{"my manager is great. my manager is away. My phone is dead. my editor is broken. my browser is slow", nil},
		{"did you meet my dog Rex? if my dog Rex could talk. You know my sister", []string{"rejected: question", "rejected: hypothetical"}},
	})
}

func TestTastesAndPastimes(t *testing.T) {
	check(t, []example{
		{"I love finding new trends for my store. I enjoy cooking, especially Thai food", []string{"user likes finding new trends for their store", "user likes cooking"}},
		{"I'm passionate about helping people and making a difference", []string{"user likes helping people"}},
		{"I'm a big fan of pottery. Dance is my passion. Drawing flowers is one of my faves.", []string{"user likes pottery", "user likes dance", "user likes drawing flowers"}},
		{"I like to read novels. I can't stand cilantro. I'm not a fan of horror movies.", []string{"user likes to read novels", "user dislikes cilantro", "user dislikes horror movies"}},
		{"I've been playing the cello for 12 years. I started playing chess two years ago.", []string{"user plays cello, from 2013-06-11", "user plays chess, change, from 2023-06-11"}},
		{"I collect vinyl records. I drive a Subaru Outback. I volunteer at a homeless shelter.", []string{"user collects vinyl records", "user drives Subaru Outback", "user volunteers_at homeless shelter"}},
		{"I just signed up for a pottery class yesterday. I'm taking a poetry class.", []string{"user attends pottery class, change, from 2025-06-10", "user attends poetry class"}},
		{"Sounds like a great plan! Looks like a bug. Feels like home. It smells like rain", nil},
		{"I used to love spending time at the lake. I'd love to dance. I like that idea. I like to think I can. I love it when it works", []string{"rejected: hypothetical"}},
		{"I love creating a safe, inviting place. I love making sure they are fine. still life is my favorite! I play the long game", nil},
		{"We love painting together. I love my job. I play it safe. I drive to work. I use a lot of coffee", nil},
		{"I run 5k. I started debugging. I started the server. I joined the call. I joined Anna for lunch. I joined Instagram last week", nil},
	})
}

func TestBeginningsAndPlans(t *testing.T) {
	check(t, []example{
		{"I started volunteering. I started a company last year.", []string{"user started volunteering, change", "user started company, change, from 2024-01-01"}},
		{"I'm starting a dance studio", []string{"user plans to start dance studio, change, planned"}},
		{"I finished my thesis last Friday. I graduated from MIT in 2015.", []string{"user finished thesis, change, from 2025-06-06", "user graduated_from MIT, change, from 2015-01-01"}},
		{"I joined a gym last week", []string{"user member_of gym, change, from 2025-06-02"}},
		{"I joined Globex as a designer. Anna joined Initech in May.", []string{"user works_at Globex, change", "Anna works_at Initech, change, from 2025-05-01"}},
		{"I got laid off from Hooli in November. Lost my job as a banker yesterday.", []string{"user works_at Hooli, ends, to 2024-11-01", "user has_role banker, ends, to 2025-06-10"}},
		{"I start a new job at Umbrella next Monday", []string{"user works_at Umbrella, change, planned, from 2025-06-16"}},
		{"I'm planning a trip to Japan. I'm going to Iceland next month. I'm visiting Rome next week.", []string{
			"user plans trip to Japan, change, planned", "user plans to go to Iceland, change, planned, from 2025-07-01",
			"user plans to visit Rome, change, planned, from 2025-06-16",
		}},
		{"I went to Oslo last week. I went to a LGBTQ support group yesterday.", []string{"user visited Oslo, change, from 2025-06-02", "user visited LGBTQ support group, change, from 2025-06-10"}},
		{"I went to Oslo. I went to the docs yesterday. i went to lunch yesterday. The app went to production yesterday. I went back to Vim last week", nil},
		{"I live in Oslo and work at Kone. I was born in Rome and grew up in Bonn.", []string{"user lives_in Oslo", "user works_at Kone", "user comes_from Rome", "user grew_up_in Bonn"}},
		{"I used to live in Oslo and work at Kone. I want to live in Rome and work at Fiat.", []string{"user lives_in Oslo, ends"}},
		{"I moved to Leiden on December 28", []string{"user lives_in Leiden, change, from 2024-12-28"}},
		{"I moved to Engineering last month. I moved to Room 4. I moved to Sales", nil},
		{"I study law at Utrecht. Our database is Postgres 16. Our backend is in Go.", []string{"user studies law", "user studies_at Utrecht", "team uses Postgres 16", "backend written_in Go"}},
		{"I'm a nurse at St. Mary's Hospital", []string{"user works_at St Mary's Hospital", "user has_role nurse"}},
		{"cron-runner is owned by the platform team. Carla is a vet tech at Banfield. I'm a PhD student at UBC. I'm a tech person", []string{
			"platform team owns cron-runner", "Carla works_at Banfield", "Carla has_role vet tech", "user studies_at UBC", "user has_role PhD student",
		}},
		{"I was promoted to staff engineer in January. I became a doctor last year.", []string{
			"user has_role staff engineer, change, from 2025-01-01", "user has_role doctor, change, from 2024-01-01",
		}},
		{"im dead. im exhausted. I'm Done.", nil},
		{"hi im theo", []string{"user name theo"}},
		{"let's say I use Emacs. in my novel I live in Oslo", []string{"rejected: hypothetical", "rejected: hypothetical"}},
	})
}

func TestNamedSpeakers(t *testing.T) {
	tests := []struct {
		name  string
		turns []api.Turn
		want  []string
	}{
		{
			"a transcript: each speaks for themselves",
			[]api.Turn{
				{Role: "user", Content: "Mira: Hey Ravi! I love dance. My sister Kat lives in Oslo.\nI work at Harbor Studio."},
				{Role: "assistant", Content: "Ravi: I live in Tacoma. You live in Rome. We use Docker."},
			},
			[]string{
				"Mira likes dance", "Mira sister Kat", "Kat lives_in Oslo", "Mira works_at Harbor Studio", "Ravi lives_in Tacoma, said_by_assistant",
			},
		},
		{
			"a single line is no transcript",
			[]api.Turn{{Role: "user", Content: "Mira: I love dance."}, {Role: "assistant", Content: "Nice."}},
			nil,
		},
		{
			"an assistant that writes a dialogue",
			[]api.Turn{{Role: "user", Content: "write me a scene"}, {Role: "assistant", Content: "Ana: I live in Rome."}},
			nil,
		},
		{
			"with dates",
			[]api.Turn{
				{Role: "user", Content: "[2023-05-08] Ana: I moved to Rome yesterday"},
				{Role: "user", Content: "[2023-05-09] Bo: I'm not a fan of Rome. I use Vim."},
			},
			[]string{
				"Ana lives_in Rome, change, from 2023-05-07", "Bo dislikes Rome, from 2023-05-09", "Bo uses Vim, from 2023-05-09",
			},
		},
		{
			"labels that are no names",
			[]api.Turn{{Role: "user", Content: "Backend: I use Go."}, {Role: "user", Content: "Note: I use Perl."}, {Role: "user", Content: "user: I use C"}},
			[]string{"user uses Perl"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, claims(t, tt.turns...)); diff != "" {
				t.Errorf("claims (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWordsThatNarrowDown(t *testing.T) {
	check(t, []example{
		{"I no longer use Chrome at work. I don't like sushi from there. I stopped using Docker for tests", nil},
		{"I live in Rome in the summer. I work at Starbucks most mornings. I'm in the EST time zone this week", nil},
		{"The ingress is at version 1.9 in dev", nil},
		{"We use Node 20 for the new service now", []string{"team uses Node 20"}},
		{"I work at the Renton plant. I work at Boeing's Renton plant. I quit smoking. I run a YouTube channel", nil},
		{"in D&D, I live in Waterdeep", []string{"user lives_in Waterdeep, hedged"}},
		{"my boss stopped using Notion. My company uses Slack.", []string{"user's manager uses Notion, ends", "team uses Slack"}},
		{"don't use semicolons here. we dropped 16 in January", nil},
		{"we use SwiftData, CoreData made me cry", []string{"team uses SwiftData"}},
	})
}
