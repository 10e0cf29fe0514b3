//go:build race

package schedules

const raceDetector = true
