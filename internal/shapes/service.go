package shapes

import (
	"bytes"
	"strings"

	"github.com/errclass/errclass/internal/jsontop"
)

// Services lists the paths of fields that can name a service or a container. The
// most specific path comes first. The paths are those of
//   - OpenTelemetry, ECS, Datadog and Google Cloud,
//   - Fluent Bit and Filebeat on Kubernetes,
//   - Docker's journald driver and systemd,
//   - many programs, which use keys such as "app" and "program".
var Services = []string{
	"service.name", "service/name", "service", "service_name", "serviceContext/service", "dd.service", "dd/service",
	"app", "application", "app_name", "appname", "program",
	"kubernetes/container_name", "kubernetes/container/name", "kubernetes/labels/app", "resource/labels/container_name", "resource/labels/service_name",
	"container_name", "container/name", "CONTAINER_NAME", "SYSLOG_IDENTIFIER", "_SYSTEMD_UNIT",
}

// servicePaths groups the paths of Services by their first element.
var servicePaths = func() map[string][]servicePath {
	paths := map[string][]servicePath{}
	for rank, p := range Services {
		names := strings.Split(p, "/")
		paths[names[0]] = append(paths[names[0]], servicePath{rank, names[1:]})
	}
	return paths
}()

type servicePath struct {
	rank int
	rest []string
}

// longestService is how many bytes of a service name are read.
const longestService = 128

// Service returns the service or the container that logged line, like the function
// [Service]. The record must be from a call of [Reader.Read] with the same line.
func (rec *Record) Service(line []byte) string {
	f, set := rec.reader.fields, rec.reader.set
	if rec.Form != Member || line[0] != '{' {
		return Service(line)
	}
	if !f.seen.meets(&set.serviceKeys) {
		return ""
	}
	for _, p := range set.services {
		if v := f.at(p); namesService(v) {
			name, _ := jsontop.Ends(v, longestService)
			return name
		}
	}
	if f.seen.has(set.resource) { // OpenTelemetry
		return Service(line)
	}
	return ""
}

// namesService reports whether v is a JSON string that is not empty.
func namesService(v []byte) bool { return len(v) > len(`""`) && v[0] == '"' }

// Service returns the name of the service or the container that logged line. If
// there is none, Service returns "". Service reads
//   - the fields of [Services],
//   - the prefixes of docker compose, kubectl and syslog,
//   - the attribute service.name of the first resource in OTLP JSON.
func Service(line []byte) string {
	line = bytes.TrimPrefix(line, []byte(bom))
	start := 0
	if !startsObject(line, 0) {
		start = readPrefix(line).end
	}
	if startsObject(line, start) {
		if name := serviceField(line[start:]); name != "" {
			return name
		}
	} else if name := servicePair(line[start:lineEnd(line)]); name != "" {
		return name
	}
	return prefixService(line[:start])
}

// serviceField returns the service that a JSON object names, or "". If a key
// repeats, the last value counts.
func serviceField(object []byte) string {
	best, found := len(Services), []byte(nil)
	var resource []byte
	_, ok := jsontop.Object(object, func(name, value []byte) {
		for _, p := range servicePaths[string(name)] {
			v := value
			for _, n := range p.rest {
				if v = objectMember(v, n); v == nil {
					break
				}
			}
			if namesService(v) && p.rank <= best {
				best, found = p.rank, v
			}
		}
		switch string(name) {
		case "resourceLogs":
			resource = firstItem(value)
		case "resource":
			if resource == nil {
				resource = object
			}
		}
	})
	if !ok {
		return ""
	}
	if found == nil && resource != nil {
		found = resourceService(objectMember(objectMember(resource, "resource"), "attributes"))
	}
	name, _ := jsontop.Ends(found, longestService)
	return name
}

// objectMember returns the member of v with this name. If v is not an object, the
// result is nil.
func objectMember(v []byte, name string) []byte {
	if len(v) == 0 || v[0] != '{' {
		return nil
	}
	return member(v, name)
}

func firstItem(list []byte) (first []byte) {
	if len(list) == 0 || list[0] != '[' {
		return nil
	}
	jsontop.Array(list, func(item []byte) {
		if first == nil {
			first = item
		}
	})
	return first
}

// resourceService returns the attribute service.name. The attributes are an object,
// or a list as in OTLP.
func resourceService(attributes []byte) (name []byte) {
	if v := objectMember(attributes, "service.name"); v != nil {
		return v
	}
	if len(attributes) == 0 || attributes[0] != '[' {
		return nil
	}
	jsontop.Array(attributes, func(item []byte) {
		if string(objectMember(item, "key")) == `"service.name"` {
			name = anyValue(objectMember(item, "value"))
		}
	})
	return name
}

// servicePair returns the service that a logfmt line names, or "".
func servicePair(line []byte) string {
	best, found := len(Services), []byte(nil)
	for i := 0; i < len(line); {
		for i < len(line) && line[i] == ' ' {
			i++
		}
		start := i
		for i < len(line) && keyByte(line[i]) {
			i++
		}
		if i == start || i == len(line) || line[i] != '=' {
			return "" // not logfmt
		}
		name := line[start:i]
		start = i + 1
		if i = pairValue(line, start); i < 0 {
			return ""
		}
		for _, p := range servicePaths[string(name)] {
			if len(p.rest) == 0 && p.rank <= best && i > start {
				best, found = p.rank, line[start:i]
			}
		}
	}
	name := unquoted(found)
	return string(name[:min(len(name), longestService)])
}

// prefixService returns the container or program in a prefix such as "api-1  | ",
// "[pod/api-5d/api] " or "Jan  2 03:04:05 host api[7]: ".
func prefixService(prefix []byte) string {
	text := strings.TrimSpace(string(prefix[:min(len(prefix), longestHeader)]))
	switch {
	case strings.HasPrefix(text, "[pod/"):
		pod, _, _ := strings.Cut(text[len("[pod/"):], "]")
		if _, container, ok := strings.Cut(pod, "/"); ok {
			return container
		}
		return pod
	case strings.HasSuffix(text, "|"):
		i := 0
		for i < len(text) && text[i] == '\x1b' {
			i = afterColour([]byte(text), i)
		}
		name, _, _ := strings.Cut(text[i:], " ")
		return name
	case strings.HasSuffix(text, ":"):
		text = strings.TrimSuffix(text, ":")
		name := text[strings.LastIndexByte(text, ' ')+1:]
		name, _, _ = strings.Cut(name, "[")
		return name
	}
	return ""
}
