module github.com/lukasa-dev/lukasa

go 1.26.0

require golang.org/x/text v0.42.0
