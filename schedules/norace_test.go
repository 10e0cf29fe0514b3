//go:build !race

package schedules

const raceDetector = false
