import { stemOf } from './stem.ts'

/** Words that one writer uses where another uses the next one, a group a line. An underscore joins a phrase. */
const GROUPS = `
auth authentication authenticate login log_in signin sign_in sso credential password
authorization authorize permission access role acl rbac privilege grant
logout log_out signout sign_out session_end
password passphrase secret credential
token jwt bearer api_key
account user member customer
customer client buyer shopper purchaser
user person people visitor
admin administrator operator staff superuser
db database sql datastore
database postgres postgresql mysql sqlite mariadb rdbms
table relation
column field attribute
row record tuple entry
schema ddl migration
migration migrate upgrade backfill
index indexes indices indexing
query select lookup sql
transaction tx commit atomic
rollback revert undo roll_back
lock mutex semaphore latch
deadlock hang stuck freeze frozen
race race_condition concurrency concurrent simultaneous parallel
concurrent simultaneous parallel at_the_same_time
thread worker goroutine process
queue job backlog broker
queue rabbitmq kafka sqs nats pubsub
job task cron scheduled background
schedule scheduler cron timer periodic nightly
event message notification
notify notification alert push
alert alarm pager page oncall
subscribe listen consumer consume
publish emit producer produce send
retry retries reattempt backoff repeat again
duplicate double twice dedupe dedup deduplicate repeated
idempotent idempotency twice duplicate
timeout time_out deadline expire
expire expiry expiration ttl stale lifetime
stale outdated old obsolete out_of_date
cache caching memoize redis memcached
cache invalidate invalidation purge evict
cdn edge cloudfront fastly
limit quota cap maximum max ceiling bound
throttle throttling rate_limit ratelimit limiter
slow latency performance sluggish lag delay
fast quick speed performance
optimize optimise optimization speed_up faster tune
memory ram heap oom leak
leak exhaust exhaustion grow unbounded
cpu processor core
disk storage volume filesystem
crash panic abort die segfault
crash outage downtime incident
outage downtime incident postmortem down unavailable
error exception failure fault bug
error exception throw raise
bug defect regression flaw
fail failure failing broke broken break
fix repair resolve patch solve
workaround hack mitigation bypass
delete remove erase drop purge destroy
create add insert make new
update change modify edit alter
rename name
replace substitute swap supersede
copy clone duplicate
move relocate transfer
merge combine join union consolidate
combine stack together
split divide partition shard separate
shard sharding partition
sort order ordering rank
order purchase checkout
cart basket
checkout check_out purchase pay
coupon voucher promo promotion discount code
discount reduction rebate price
price cost amount fee
money currency amount decimal cents
currency exchange fx
payment pay charge billing bill stripe
charge bill debit billed
invoice bill receipt
refund chargeback reimbursement return
subscription plan recurring renewal
tax vat gst
shipping delivery shipment carrier parcel
inventory stock warehouse
reserve reservation hold held
product item sku article
picture image photo thumbnail avatar
image picture photo thumbnail
video clip movie stream
file document attachment
upload attachment
download fetch export
directory folder path
email e_mail mail smtp
sms text_message
phone telephone mobile
address location
country region locale
language locale translation i18n localization
translation translate i18n localisation localization
timezone time_zone utc tz
date day time timestamp
clock time skew
search find lookup query
find locate discover
filter narrow restrict
pagination paginate page cursor offset
api endpoint route rest
endpoint url route path
url link address uri
request call http
response reply answer
webhook callback hook
callback handler hook listener
graphql gql query
grpc protobuf rpc
websocket socket realtime real_time push
json payload body
xml soap
csv spreadsheet excel
pdf document
serialize serialization encode marshal
deserialize deserialization decode parse unmarshal
parse parser parsing
validate validation check verify sanitize
verify verification confirm check
encrypt encryption cipher crypto
hash hashing digest checksum bcrypt argon2 scrypt
signature sign signed hmac
certificate cert tls ssl https
secret key vault
vulnerability cve exploit security
security secure safe
xss injection csrf
privacy gdpr personal pii
audit log trail history
log logging logger logs
log trace tracing observability
metric metrics monitoring telemetry prometheus
monitor monitoring watch observe
dashboard chart graph panel
test testing spec
test unit_test integration_test e2e
flaky intermittent unreliable sporadic random nondeterministic
mock stub fake
fixture seed sample
coverage tested
ci pipeline github_actions jenkins workflow
build compile bundle
bundle bundler webpack vite rollup esbuild
compile compiler transpile
deploy deployment release rollout ship
release version publish
rollout canary staged gradual
version revision
production prod live
staging preprod preview
environment env
config configuration setting settings option
flag toggle feature_flag switch
dependency package library module
package npm pnpm yarn
library framework package
upgrade update bump
downgrade pin
container docker image
kubernetes k8s cluster helm pod
server host machine node instance
cloud aws gcp azure
serverless lambda function
proxy gateway nginx
load_balancer loadbalancer balancer
network connection socket
connection connect pool
pool pooling pgbouncer
dns domain hostname
firewall network
backup snapshot dump
restore recover recovery
replica replication follower standby secondary
primary leader master
leader election consensus
sync synchronize synchronise synchronization
offline disconnected no_network
conflict collision clash
consistency consistent eventual
consistent same identical
distributed cluster
microservice service
monolith monorepo
service backend server
frontend ui client browser
ui interface screen view
screen page view
button click
form input field
style css theme styling
dark_mode dark theme
layout responsive
font typography
icon svg image
component widget
render rendering draw paint display
display show visible
hide hidden invisible
animation transition
scroll scrolling
keyboard shortcut hotkey
accessibility a11y screen_reader aria
browser chrome safari firefox
cookie session
session cookie
mobile ios android phone
app application
script tool command
cli command terminal shell
shell bash terminal
git repository repo vcs
repository repo
branch trunk main
commit changeset
merge pull_request pr
review pull_request pr
revert rollback undo
lint linter eslint
format formatter prettier
type typing typescript
null nil undefined none missing
missing absent lost gone disappear
lost lose missing disappear
empty blank
wrong incorrect invalid bad
correct right valid
boolean bool flag
integer int number
float floating_point double decimal
round rounding precision
string text
unicode utf8 encoding charset
regex regexp regular_expression pattern
array list
map dictionary dict hashmap
set collection
tree hierarchy
graph network
loop iterate iteration
recursion recursive
async asynchronous await
sync synchronous blocking
block blocking blocked
function method procedure
class type struct
interface contract api
constant literal
variable parameter
argument parameter param
default fallback
deprecated obsolete legacy
legacy old
refactor cleanup rewrite restructure
rewrite redo reimplement
remove drop delete
documentation docs readme guide
comment annotation
readme documentation
naming convention name
convention standard style rule
rule policy
policy guideline
decision choice choose pick decide
choose select pick
reject refuse deny decline disallow
refuse reject deny
allow permit enable
enable activate turn_on
disable deactivate turn_off
forbid prohibit ban disallow
require mandatory must
optional
reason why rationale
goal objective aim
plan roadmap
requirement spec specification
owner responsible maintainer
assign assignee owner
team group
ticket issue
todo task
finish complete done
start begin launch boot
startup boot start cold_start
stop halt terminate kill
shutdown stop graceful
restart reboot
pause suspend
resume continue
wait waiting await
install setup
install installation
uninstall remove
import ingest load
export dump
convert transform conversion
transform mapping
compress compression gzip zip
archive zip tar
size length
large big huge
small tiny
increase grow raise
decrease reduce shrink lower
count total number
sum total
average mean
random uuid
id identifier uuid key
unique distinct
anonymous guest
guest anonymous
signup sign_up register registration onboarding
profile account
friend contact
chat message conversation
conversation dialogue thread
comment reply
feed timeline
report reporting analytics
analytics statistics stats tracking
tracking track
experiment ab_test
recommendation suggest
machine_learning ml model
model embedding
vector embedding
ai llm model
sensor device
device hardware
firmware embedded
bluetooth ble
battery power
gps location
map geo
weather forecast
game player
score points
level stage
match game
camera photo
audio sound
sound audio volume
microphone mic
speaker audio
vehicle car
car vehicle automobile
doctor physician
hospital clinic
patient
medicine drug medication
school university college
teacher instructor
student pupil
course class lesson
job work career occupation
boss manager
colleague coworker
company firm business
meeting call appointment
holiday vacation trip travel
trip travel journey
house home apartment
child kid children
kid child children son daughter
mother mom mum
father dad
parent mother father
wife husband spouse partner
friend pal buddy
pet dog cat
book novel
movie film
music song
food meal dish
hobby interest pastime
buy purchase bought
sell sale sold
gift present
party celebration
birthday anniversary
sick ill illness
happy glad pleased
sad upset unhappy
afraid scared fear
angry mad
tired exhausted
beautiful pretty
`

/** Stems, one or more in a row. */
export type Expression = readonly string[]

const byStem = new Map<string, Expression[]>()

/** What else a writer may have called this. */
export function synonymsOf(stem: string): readonly Expression[] {
  if (byStem.size === 0) fill()
  return byStem.get(stem) ?? []
}

function fill(): void {
  for (const group of GROUPS.trim().split('\n')) {
    const expressions = group.split(' ').map((words) => words.split('_').map(stemOf))
    for (const one of expressions) {
      const [only = '', ...more] = one
      if (more.length > 0) continue
      const known = byStem.get(only) ?? []
      const added = expressions.filter(
        (other) =>
          String(other) !== only && !known.some((each) => String(each) === String(other)),
      )
      byStem.set(only, [...known, ...added])
    }
  }
}
