package mask

import "strings"

// prefixGroup has prefixes of keys, such as ghp_, and describes the bytes after
// them.
type prefixGroup struct {
	class  uint16 // classes of the bytes after the prefix
	minLen int    // minimum number of these bytes
	mixed  bool   // these bytes must have letters and digits, because words can begin with the prefix
	texts  string // the prefixes
}

// prefixGroups has the prefixes of providers' keys and of password hashes.
var prefixGroups = []prefixGroup{
	{alnum, 12, true, `LTAI`},
	{alnum, 12, false, `rzp_live_ rzp_test_`},
	{alnum, 16, false, `dp.pt. NRAK- ghp_ gho_ ghu_ ghs_ ghr_ npm_ rubygems_ CLOJARS_ shpat_ shpss_ shpca_ shppa_ lin_api_ AGE-SECRET-KEY- sm_aat_ sm_pat_ sm_sat_ shippo_live_ shippo_test_ tr_dev_ tr_prod_`},
	{alnum, 16, true, `eu01xx p8e- BBDC-`},
	{alnum, 20, true, `rnd_ sbp_ ATBB AKCp ntn_ EZAK EZTK pnu_ rdme_ bkua_ rpa_ nfp_ nfc_ nfo_ e2b_ vcp_`},
	{alnum, 20, false, `cmVmdGtu sqp_ squ_ phc_ phx_`},
	{alnum, 30, true, `live_ test_`},
	{alnum, 32, true, `cio secret_ ico-`},
	{alnum, 40, true, `oy2 EAAC`},
	{alnum | base64, 16, false, `whsec_ bedrock-api-key-`},
	{alnum | base64, 16, true, `glc_`},
	{alnum | base64, 20, false, `fm1a_ fm1r_`},
	{alnum | base64, 20, true, `fm2_`},
	{alnum | base64, 32, true, `ABSK`},
	{alnum | base64 | dot | percent, 10, false, `{CRYPT}`},
	{alnum | base64 | dot | percent, 20, false, `$2a$ $2b$ $2y$ $1$ $5$ $6$ $y$ $apr1$ $7$ $gy$`},
	{alnum | base64 | percent, 16, false, `{SSHA} {SHA} {SSHA512}`},
	{alnum | base64 | percent | tail, 20, false, `SCRAM-SHA-256$`},
	{alnum | dash | dot, 16, false, `dp.st.`},
	{alnum | dot, 16, false, `dt0c01. dt0s01. dt0s16.`},
	{alnum | percent, 16, true, `access_token$`},
	{hexa, 20, true, `mlsn.`},
	{hexa, 32, true, `pul- key- SK fc-`},
	{hexa, 40, true, `ck_ cs_`},
	{upper | digit, 12, false, `AKIA ASIA`},
	{upper | digit, 16, false, `ABIA ACCA`},
	{upper | digit, 26, true, `API-`},
	{upper | digit | dash, 26, true, `A3-`},
	{wordly, 8, false, `sk- sk_ pk-lf- pk_live_ pk_test_ rk_live_ rk_test_ xoxa- xoxb- xoxc- xoxe- xoxo- xoxp- xoxr- xoxs- xapp-`},
	{wordly, 12, true, `rk- pk-`},
	{wordly, 12, false, `tvly- tskey- sb_secret_ FLWSECK_TEST-`},
	{wordly, 16, false, `xai- gsk_ hf_ api_org_ pplx- nvapi- jina_ esecret_ lsv2_ AIza GOCSPX- dop_v1_ doo_v1_ dor_v1_ hvs. hvb. hvr. fo1_ dckr_pat_ CCIPAT_ HRKU- github_pat_ gldt- glrt- glptt- glcbt- pypi- sq0atp- sq0csp- xkeysib- PMAK- figd_ pat-na1- pat-eu1- glsa_ sntryu_ FLWSECK- glffct- glft- glimt- glsoat- GR1348941 dckr_oat_ CFPAT- tgp_v1_ NRII- NRAA- NRRA- PMAT-`},
	{wordly, 16, true, `csk- xaat- xapt-`},
	{wordly, 20, false, `r8_ 1//0 sgp_ sha256~ fio-u- gloas-`},
	{wordly, 20, true, `fw_ vercel_ cfut_ duffel_ tfp_ glagent- tk-us- zpka_ pcsk_`},
	{wordly, 24, true, `pa-`},
	{wordly, 30, true, `v1.0-`},
	{wordly, 32, true, `dapi sendinblue amzn.mws.`},
	{wordly, 40, true, `EAAA gAAAAA IGQV`},
	{wordly, 40, false, `APA91b`},
	{wordly, 60, true, `sl.`},
	{wordly | base64, 20, false, `ops_eyJ`},
	{wordly | base64 | dot | percent, 20, false, `$argon2 $pbkdf2 $scrypt$`},
	{wordly | base64 | space, 16, true, `FlyV1`},
	{wordly | dot, 8, false, `ya29. xoxe.`},
	{wordly | dot, 16, false, `glpat- SG. ory_at_ ory_rt_ ory_st_ amzn1.oa2-cs.`},
	{wordly | dot, 20, true, `pscale_`},
	{wordly | dot, 20, false, `v1.local. v2.local. v3.local. v4.local. v2.public. v4.public.`},
	{wordly | dot, 40, true, `pat. sat.`},
	{wordly | dot | base64 | percent, 16, false, `eyJ`},
	{wordly | percent, 8, false, `xoxd-`},
	{wordly | percent, 16, false, `ATATT3 sntrys_ ATCTT3`},
}

// keyPrefix is one prefix of a prefixGroup.
type keyPrefix struct {
	text   string
	class  uint16
	minLen int
	mixed  bool
	run    int // index in scanner.runs; the same for all prefixes with this class
}

// idPairs has prefixes of ids that precede a secret, as in "AC0123…:secret". Here
// minLen is the exact number of bytes between the prefix and the colon.
var idPairs = []keyPrefix{{text: "AC", minLen: 32, class: hexa}, {text: "SK", minLen: 32, class: hexa}, {text: "AK", minLen: 22, class: alnum}}

// prefixRuns is the number of different values of the field class in prefixGroups.
const prefixRuns = 18

// byFirst maps a byte to the prefixes with this first byte.
var byFirst = func() (t [128][]keyPrefix) {
	runs := map[uint16]int{}
	for _, g := range prefixGroups {
		if _, ok := runs[g.class]; !ok {
			runs[g.class] = len(runs)
		}
		for text := range strings.FieldsSeq(g.texts) {
			t[text[0]] = append(t[text[0]], keyPrefix{text, g.class, g.minLen, g.mixed, runs[g.class]})
		}
	}
	return t
}()
