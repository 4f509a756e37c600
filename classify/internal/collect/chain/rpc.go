package chain

import (
	"encoding/json"
	"reflect"
	"time"

	"github.com/errclass/errclass/classify/internal/collect"
	"github.com/errclass/errclass/classify/internal/collect/response"
	"github.com/errclass/errclass/classify/internal/signal"
	"github.com/errclass/errclass/classify/internal/standard"
)

// addGRPC adds the signal of a gRPC code, except Unknown. A text that names a cause
// outranks Unavailable and Internal.
func (w *Walk) addGRPC(name string) {
	reason, strength := standard.GrpcVague.Reason(name), signal.Phrase
	if reason == signal.NoReason {
		reason, strength = standard.Grpc.Reason(name), signal.Code
	}
	if reason != signal.NoReason {
		w.Q.Add(signal.Of("grpc/"+name, reason, strength))
	}
}

// readGRPC reads the *status.Status of an error by reflection, to avoid a dependency
// on gRPC.
func (w *Walk) readGRPC(err error) {
	status := reflect.ValueOf(err).MethodByName("GRPCStatus").Call(nil)[0]
	code := status.MethodByName("Code").Call(nil)[0]
	if !code.CanUint() || code.Uint() == 0 || code.Uint() >= uint64(len(response.GrpcNames)) {
		return
	}
	name := response.GrpcNames[code.Uint()]
	w.addGRPC(name)
	if body := GrpcBody(w.Q, status, name); body != "" {
		response.ReadResponse(w.Q, 0, nil, body)
	}
}

// GrpcBody encodes the details of a gRPC status as JSON, as Google's APIs do
// over HTTP. Details that are too large are left out. If no details remain, it returns "".
func GrpcBody(q *collect.Inquiry, status reflect.Value, code string) string {
	method := status.MethodByName("Details")
	if !method.IsValid() {
		return ""
	}
	r, ok := openRoom(q)
	defer r.close()
	if !ok {
		return ""
	}
	list, ok := method.Call(nil)[0].Interface().([]any)
	if !ok || len(list) == 0 {
		return ""
	}
	var details []map[string]any
	for _, d := range list {
		if !r.entry() {
			break
		}
		if detail := r.grpcDetail(d); detail != nil {
			details = append(details, detail)
		}
	}
	if details == nil {
		return ""
	}
	message := ""
	if m := status.MethodByName("Message"); m.IsValid() {
		message = r.text(m.Call(nil)[0].String())
	}
	body, _ := json.Marshal(map[string]any{"error": map[string]any{
		"status": response.Screaming(code), "message": message, "details": details,
	}})
	return string(body)
}

// grpcDetail reads one error detail of google.rpc (error_details.proto). If the detail
// has neither a cause nor a waiting time, grpcDetail returns nil.
func (r *room) grpcDetail(d any) map[string]any {
	const at = "type.googleapis.com/google.rpc."
	if e, ok := d.(interface {
		GetReason() string
		GetDomain() string
		GetMetadata() map[string]string
	}); ok {
		return map[string]any{"@type": at + "ErrorInfo", "reason": r.text(e.GetReason()), "domain": r.text(e.GetDomain()), "metadata": r.metadata(e.GetMetadata())}
	}
	if m := reflect.ValueOf(d).MethodByName("GetRetryDelay"); m.IsValid() && m.Type().NumIn() == 0 && m.Type().NumOut() == 1 {
		if delay, ok := m.Call(nil)[0].Interface().(interface{ AsDuration() time.Duration }); ok {
			seconds, _ := json.Marshal(delay.AsDuration().Seconds())
			return map[string]any{"@type": at + "RetryInfo", "retryDelay": string(seconds) + "s"}
		}
	}
	if m := reflect.ValueOf(d).MethodByName("GetViolations"); m.IsValid() && m.Type().NumIn() == 0 && m.Type().NumOut() == 1 {
		if list := m.Call(nil)[0]; list.Kind() == reflect.Slice {
			return map[string]any{"@type": at + "QuotaFailure", "violations": r.grpcViolations(list)}
		}
	}
	return nil
}

// metadata returns all pairs of an ErrorInfo. If they do not all fit, it returns
// nil.
func (r *room) metadata(pairs map[string]string) map[string]string {
	if len(pairs) > r.left/entryRoom {
		r.q.Lose(collect.BodyBytes, len(pairs))
		return nil
	}
	for key, value := range pairs {
		if !r.entry() || !r.fits(key) || !r.fits(value) {
			return nil
		}
	}
	return pairs
}

func (r *room) grpcViolations(list reflect.Value) []map[string]string {
	var all []map[string]string
	for i := range list.Len() {
		if !r.entry() {
			break
		}
		v, one := list.Index(i).Interface(), map[string]string{}
		if e, ok := v.(interface{ GetSubject() string }); ok {
			one["subject"] = r.text(e.GetSubject())
		}
		if e, ok := v.(interface{ GetDescription() string }); ok {
			one["description"] = r.text(e.GetDescription())
		}
		if e, ok := v.(interface{ GetQuotaId() string }); ok {
			one["quotaId"] = r.text(e.GetQuotaId())
		}
		if e, ok := v.(interface{ GetQuotaMetric() string }); ok {
			one["quotaMetric"] = r.text(e.GetQuotaMetric())
		}
		all = append(all, one)
	}
	return all
}

// readConnect reads the result of an error's Code method. For Connect and Twirp, it is
// the name of a gRPC code. Any other string is a code of the API.
func (w *Walk) readConnect(err error) {
	code := reflect.ValueOf(err).MethodByName("Code").Call(nil)[0]
	text := ""
	if code.Kind() == reflect.String {
		text = code.String()
	} else if e, ok := code.Interface().(interface{ String() string }); ok {
		text = e.String()
	}
	if name := response.GrpcName(text); name != "" {
		w.addGRPC(name)
	} else if code.Kind() == reflect.String {
		response.ReadName(w.Q, text)
	}
}

// readJSONRPC reads the code of a JSON-RPC error (JSON-RPC 2.0 5.1, MCP). If servers
// may redefine a code, the text outranks it.
func (w *Walk) readJSONRPC(s *Shape, err error) {
	var code int64
	if e, ok := err.(interface{ ErrorCode() int }); ok {
		code = int64(e.ErrorCode())
	} else if v := s.field(err, "Code"); v.IsValid() && v.CanInt() {
		code = v.Int()
	}
	if code < -32768 || code > -32000 {
		return
	}
	name, strength := decimal(code), signal.Code
	reason := standard.Jsonrpc.Reason(name)
	if reason == signal.NoReason {
		reason = standard.JsonrpcLocal.Reason(name)
	}
	if reason == signal.NoReason {
		reason, strength = standard.JsonrpcVague.Reason(name), signal.Word
	}
	if reason != signal.NoReason {
		w.Q.Add(signal.Of("jsonrpc/"+name, reason, strength))
	}
}
