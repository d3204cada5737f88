package kafka

import (
	"bufio"
	"cmp"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/twmb/franz-go/pkg/sasl/aws"

	"sharetop/model"
)

// awsCredentials finds the credentials for AWS_MSK_IAM, anew for each login: in
// the environment, else in the shared credentials file. Of the default chain
// the container and instance services and SSO are not asked.
func awsCredentials(a model.AWS) (aws.Auth, error) {
	if a.Profile == "" && os.Getenv("AWS_ACCESS_KEY_ID") != "" {
		return aws.Auth{
			AccessKey: os.Getenv("AWS_ACCESS_KEY_ID"), SecretKey: os.Getenv("AWS_SECRET_ACCESS_KEY"),
			SessionToken: os.Getenv("AWS_SESSION_TOKEN"),
		}, nil
	}
	const advice = "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, e.g. by aws configure export-credentials --format env"
	home, _ := os.UserHomeDir()
	file := cmp.Or(os.Getenv("AWS_SHARED_CREDENTIALS_FILE"), filepath.Join(home, ".aws", "credentials"))
	f, err := os.Open(file)
	if err != nil {
		return aws.Auth{}, &tokenError{"there are no AWS credentials in the environment or in " + safeText(file), advice}
	}
	defer f.Close()
	profile := cmp.Or(a.Profile, os.Getenv("AWS_PROFILE"), "default")
	set := readProfile(io.LimitReader(f, maxTokenBytes), profile)
	auth := aws.Auth{
		AccessKey: set["aws_access_key_id"], SecretKey: set["aws_secret_access_key"], SessionToken: set["aws_session_token"],
	}
	if auth.AccessKey == "" || auth.SecretKey == "" {
		return aws.Auth{}, &tokenError{safeText(file) + " has no credentials for profile " + safeText(profile), advice}
	}
	return auth, nil
}

// readProfile reads one section of an AWS credentials file.
func readProfile(r io.Reader, profile string) map[string]string {
	set := map[string]string{}
	inside := false
	for lines := bufio.NewScanner(r); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(line, "[") {
			inside = strings.Trim(line, "[] \t") == profile
			continue
		}
		if key, value, ok := strings.Cut(line, "="); ok && inside {
			set[strings.TrimSpace(key)] = strings.TrimSpace(value)
		}
	}
	return set
}
