package fingerprint_test

import (
	"fmt"

	"github.com/errclass/errclass/classify/fingerprint"
)

func ExampleOf() {
	for _, text := range []string{
		`dial tcp 10.0.0.7:5432: i/o timeout after 30s`,
		`dial tcp 10.0.0.9:5433: i/o timeout after 1m30s`,
		`HTTP 503 after 3 of 5 attempts`,
		`{"error": {"message": "no model \"x-7\"", "request_id": "8f2c"}}`,
	} {
		fmt.Println(fingerprint.Of(text))
	}
	// Output:
	// 045c907cd8ee7000 dial tcp <ip>:<num>: i/o timeout after <duration>
	// 045c907cd8ee7000 dial tcp <ip>:<num>: i/o timeout after <duration>
	// 03956fa06e7473ba HTTP 503 after <num> of <num> attempts
	// dee7ee0cf3b082c1 {"error":{"message":"no model <str>","request_id":<str>}}
}

// Sum does not allocate. An ID can be the key of a map.
func ExampleSum() {
	counts := map[fingerprint.ID]int{}
	for _, text := range []string{`user "alice" not found`, `user "bob" not found`, `disk full`} {
		counts[fingerprint.Sum(text)]++
	}
	fmt.Println(counts[fingerprint.Sum(`user "" not found`)], len(counts))
	// Output: 2 2
}

func ExampleID_String() {
	fmt.Println(fingerprint.Sum("dial tcp 10.0.0.7:5432").String())
	// Output: 839520546709efc2
}

func ExampleID_AppendText() {
	line, err := fingerprint.Sum("dial tcp 10.0.0.7:5432").AppendText([]byte("id="))
	fmt.Println(string(line), err)
	// Output: id=839520546709efc2 <nil>
}

func ExampleID_MarshalText() {
	text, err := fingerprint.Sum("dial tcp 10.0.0.7:5432").MarshalText()
	fmt.Println(string(text), err)
	// Output: 839520546709efc2 <nil>
}
