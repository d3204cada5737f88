package kafka

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sharetop/model"
)

// awsAlone takes away whatever AWS settings this machine has, and the network.
func awsAlone(t *testing.T) (dir string) {
	t.Helper()
	for _, line := range os.Environ() {
		if name, _, _ := strings.Cut(line, "="); strings.HasPrefix(name, "AWS_") {
			t.Setenv(name, "")
		}
	}
	dir = t.TempDir()
	t.Setenv("AWS_CONFIG_FILE", filepath.Join(dir, "config"))
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", filepath.Join(dir, "credentials"))
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	return dir
}

func writeFile(t *testing.T, file, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// TestAWSCredentials goes along the default chain, without any network.
func TestAWSCredentials(t *testing.T) {
	const files = "[default]\naws_access_key_id = A\naws_secret_access_key = " + plantedPassword + "\n" +
		"[prod]\naws_access_key_id=PA\naws_secret_access_key=PS\naws_session_token=PT\n"
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "container's" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]string{
			"AccessKeyId": "C", "SecretAccessKey": "CS", "Token": "CT", "Expiration": time.Now().Add(time.Hour).UTC().Format(time.RFC3339),
		})
	}))
	defer service.Close()
	for _, tt := range []struct {
		name    string
		set     map[string]string
		files   string
		config  string
		profile string
		// key and token are what is found; why is in the error instead.
		key, token, why string
	}{
		{name: "environment", set: map[string]string{"AWS_ACCESS_KEY_ID": "E", "AWS_SECRET_ACCESS_KEY": "ES"}, files: files, key: "E"},
		{name: "default profile", files: files, key: "A"},
		{name: "AWS_PROFILE", set: map[string]string{"AWS_PROFILE": "prod"}, files: files, key: "PA", token: "PT"},
		{
			name: "awsProfileName before the environment", set: map[string]string{"AWS_ACCESS_KEY_ID": "E", "AWS_SECRET_ACCESS_KEY": "ES"},
			files: files, profile: "prod", key: "PA", token: "PT",
		},
		{name: "a program", config: "[default]\ncredential_process = %DIR%/program\n", key: "P"},
		{name: "a container", set: map[string]string{
			"AWS_CONTAINER_CREDENTIALS_FULL_URI": service.URL, "AWS_CONTAINER_AUTHORIZATION_TOKEN": "container's",
		}, key: "C", token: "CT"},
		{name: "no such profile", files: files, profile: "none", why: "none"},
		{name: "nothing at all", why: "there are no AWS credentials"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := awsAlone(t)
			for name, value := range tt.set {
				t.Setenv(name, value)
			}
			writeFile(t, filepath.Join(dir, "credentials"), tt.files, 0o600)
			writeFile(t, filepath.Join(dir, "config"), strings.ReplaceAll(tt.config, "%DIR%", dir), 0o600)
			writeFile(t, filepath.Join(dir, "program"), "#!/bin/sh\necho '{\"Version\":1,\"AccessKeyId\":\"P\",\"SecretAccessKey\":\"PS\"}'\n", 0o700)
			l := &awsLogin{settings: model.AWS{Profile: tt.profile}, now: time.Now}
			a, err := l.credentials(t.Context())
			if tt.why != "" {
				expectTokenError(t, err, tt.why, "aws sts get-caller-identity")
				return
			}
			if err != nil || a.AccessKey != tt.key || a.SessionToken != tt.token {
				t.Errorf("%s with token %q, %v", a.AccessKey, a.SessionToken, err)
			}
		})
	}
}

// A file that was changed counts from the next login on; connections that are
// opened together share what was found.
func TestAWSCredentialsAreFoundAnew(t *testing.T) {
	file := filepath.Join(awsAlone(t), "credentials")
	now := time.Now()
	l := &awsLogin{now: func() time.Time { return now }}
	for _, step := range []struct {
		writes string
		after  time.Duration
		want   string
	}{{"one", 0, "one"}, {"two", awsReuse - 1, "one"}, {"two", 1, "two"}} {
		now = now.Add(step.after)
		writeFile(t, file, "[default]\naws_access_key_id="+step.writes+"\naws_secret_access_key=s\n", 0o600)
		if a, err := l.credentials(t.Context()); err != nil || a.AccessKey != step.want {
			t.Errorf("after %s: %s, %v, want %s", step.after, a.AccessKey, err, step.want)
		}
	}
}

// sigV4 is Signature Version 4 as AWS describes it, in this test's own words.
type sigV4 struct{ secret, date, region, service string }

func keyed(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

// key is the signing key.
func (s sigV4) key() []byte {
	k := []byte("AWS4" + s.secret)
	for _, part := range []string{s.date[:8], s.region, s.service, "aws4_request"} {
		k = keyed(k, part)
	}
	return k
}

// sign signs a canonical request.
func (s sigV4) sign(canonical string) string {
	hash := sha256.Sum256([]byte(canonical))
	scope := strings.Join([]string{s.date[:8], s.region, s.service, "aws4_request"}, "/")
	text := strings.Join([]string{"AWS4-HMAC-SHA256", s.date, scope, hex.EncodeToString(hash[:])}, "\n")
	return hex.EncodeToString(keyed(s.key(), text))
}

const emptyPayload = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// The vectors are AWS's own: the signing key and the GET with a query of the
// IAM User Guide ("Create a signed AWS API request"), and the presigned URL of
// the S3 API reference ("Authenticating Requests: Using Query Parameters").
func TestSigV4Vectors(t *testing.T) {
	iam := sigV4{"wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "20150830T123600Z", "us-east-1", "iam"}
	if got, want := hex.EncodeToString(iam.key()), "c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9"; got != want {
		t.Errorf("the signing key is %s, want %s", got, want)
	}
	users := strings.Join([]string{
		"GET", "/", "Action=ListUsers&Version=2010-05-08", "content-type:application/x-www-form-urlencoded; charset=utf-8",
		"host:iam.amazonaws.com", "x-amz-date:20150830T123600Z", "", "content-type;host;x-amz-date", emptyPayload,
	}, "\n")
	if got, want := iam.sign(users), "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7"; got != want {
		t.Errorf("ListUsers is signed %s, want %s", got, want)
	}
	s3 := sigV4{"wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "20130524T000000Z", "us-east-1", "s3"}
	object := strings.Join([]string{
		"GET", "/test.txt", "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request" +
			"&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host",
		"host:examplebucket.s3.amazonaws.com", "", "host", "UNSIGNED-PAYLOAD",
	}, "\n")
	if got, want := s3.sign(object), "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"; got != want {
		t.Errorf("the presigned URL is signed %s, want %s", got, want)
	}
}

// TestMSKLogin checks what is sent to an MSK broker: the fields that
// aws-msk-iam-auth names, and a signature that the vectors above vouch for.
func TestMSKLogin(t *testing.T) {
	for _, tt := range []struct{ host, region, token string }{
		{"b-1.demo.abc.c2.kafka.eu-central-1.amazonaws.com", "eu-central-1", ""},
		{"boot-x.c1.kafka-serverless.us-gov-west-1.amazonaws.com", "us-gov-west-1", "AQo+/=token with%odd&signs"},
		{"kafka.internal.example", "ap-south-2", ""}, // by AWS_REGION
	} {
		t.Run(tt.host, func(t *testing.T) {
			awsAlone(t)
			t.Setenv("AWS_REGION", "ap-south-2")
			t.Setenv("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE")
			t.Setenv("AWS_SECRET_ACCESS_KEY", plantedPassword)
			t.Setenv("AWS_SESSION_TOKEN", tt.token)
			l := newLogin(model.Connection{Security: model.SASLSSL, SASL: model.SASL{Mechanism: model.MechanismAWSMSKIAM}}, time.Now)
			_, sent, err := l.mechanism().Authenticate(t.Context(), tt.host+":9098")
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(sent), plantedPassword) {
				t.Errorf("the secret itself is sent: %s", sent)
			}
			expectMSK(t, sent, tt.host, tt.region, tt.token)
		})
	}
}

func expectMSK(t *testing.T, sent []byte, host, region, token string) {
	t.Helper()
	var got map[string]string
	if err := json.Unmarshal(sent, &got); err != nil {
		t.Fatal(err)
	}
	date := got["x-amz-date"]
	if at, err := time.Parse("20060102T150405Z", date); err != nil || time.Since(at).Abs() > time.Hour {
		t.Fatalf("x-amz-date is %q", date)
	}
	credential := "AKIAIOSFODNN7EXAMPLE/" + date[:8] + "/" + region + "/kafka-cluster/aws4_request"
	query := url.Values{
		"Action": {"kafka-cluster:Connect"}, "X-Amz-Algorithm": {"AWS4-HMAC-SHA256"}, "X-Amz-Credential": {credential},
		"X-Amz-Date": {date}, "X-Amz-Expires": {"900"}, "X-Amz-SignedHeaders": {"host"},
	}
	if token != "" {
		query.Set("X-Amz-Security-Token", token)
	}
	canonical := strings.Join([]string{"GET", "/", strings.ReplaceAll(query.Encode(), "+", "%20"), "host:" + host, "", "host", emptyPayload}, "\n")
	want := map[string]string{
		"version": "2020_10_22", "host": host,
		"x-amz-signature": sigV4{plantedPassword, date, region, "kafka-cluster"}.sign(canonical),
	}
	for name, values := range query {
		want[strings.ToLower(name)] = values[0]
	}
	if got["user-agent"] == "" {
		t.Error("there is no user-agent, which policies can ask for")
	}
	delete(got, "user-agent")
	for name, value := range want {
		if got[name] != value {
			t.Errorf("%s is %q, want %q", name, got[name], value)
		}
	}
	if len(got) != len(want) {
		t.Errorf("sent are %d fields, want %d: %v", len(got), len(want), got)
	}
}
