package fingerprint_test

import (
	"fmt"

	"github.com/errclass/errclass/classify/fingerprint"
)

func ExampleOf() {
	for _, text := range []string{
		`dial tcp 10.0.0.7:5432: i/o timeout after 30s`,
		`dial tcp 10.0.0.9:5433: i/o timeout after 1m30s`,
		`open /etc/app/key.pem: permission denied`,
	} {
		fmt.Println(fingerprint.Of(text))
	}
	// Output:
	// 045c907cd8ee7000 dial tcp <ip>:<num>: i/o timeout after <duration>
	// 045c907cd8ee7000 dial tcp <ip>:<num>: i/o timeout after <duration>
	// b5da0e312fc1fd06 open <path>: permission denied
}

// Sum does not allocate. An ID is comparable, so it can be the key of a map.
func ExampleSum() {
	counts := map[fingerprint.ID]int{}
	for _, text := range []string{`user "alice" not found`, `user "bob" not found`, `disk full`} {
		counts[fingerprint.Sum(text)]++
	}
	fmt.Println(counts[fingerprint.Sum(`user "" not found`)], len(counts))
	// Output: 2 2
}

func ExampleID_String() {
	fmt.Println(fingerprint.Sum("HTTP 503").String())
	// Output: 380235969161f668
}

func ExampleID_AppendText() {
	line, err := fingerprint.Sum("HTTP 503").AppendText([]byte("id="))
	fmt.Println(string(line), err)
	// Output: id=380235969161f668 <nil>
}

func ExampleID_MarshalText() {
	text, err := fingerprint.Sum("HTTP 503").MarshalText()
	fmt.Println(string(text), err)
	// Output: 380235969161f668 <nil>
}
