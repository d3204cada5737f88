package kafka

import (
	"context"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/twmb/franz-go/pkg/sasl/aws"

	"sharetop/model"
)

// awsReuse is how long credentials serve further logins: the connections to all
// brokers are opened together, and the instance's service is asked once for them.
const awsReuse = 30 * time.Second

// awsLogin finds the credentials for AWS_MSK_IAM.
type awsLogin struct {
	settings model.AWS
	now      func() time.Time

	mu    sync.Mutex
	found aws.Auth
	until time.Time
}

// credentials asks AWS's default chain: the environment, the shared files with
// what they point to (SSO, other roles, a program), the container's and the
// instance's services. A file that was changed counts from the next login on.
func (l *awsLogin) credentials(ctx context.Context) (aws.Auth, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now().Before(l.until) {
		return l.found, nil
	}
	ctx, cancel := context.WithTimeout(ctx, tokenTimeout)
	defer cancel()
	var options []func(*config.LoadOptions) error
	if l.settings.Profile != "" {
		options = append(options, config.WithSharedConfigProfile(l.settings.Profile))
	}
	chain, err := config.LoadDefaultConfig(ctx, options...)
	if err != nil {
		return aws.Auth{}, noAWS(err)
	}
	got, err := chain.Credentials.Retrieve(ctx)
	if err != nil {
		return aws.Auth{}, noAWS(err)
	}
	l.found = aws.Auth{AccessKey: got.AccessKeyID, SecretKey: got.SecretAccessKey, SessionToken: got.SessionToken}
	l.until = l.now().Add(awsReuse)
	if got.CanExpire && got.Expires.Before(l.until) {
		l.until = got.Expires
	}
	return l.found, nil
}

func noAWS(err error) error {
	return &tokenError{
		"there are no AWS credentials: " + safeText(err.Error()),
		"see whether aws sts get-caller-identity works here; else set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE",
	}
}
