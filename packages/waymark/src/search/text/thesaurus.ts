import { once } from '../../support/once.ts'
import { stemOf } from './stem.ts'

/** Words that one writer uses where another uses the next one, in groups. An underscore joins a phrase. */
const GROUPS = `
auth authentication authenticate login log_in signin sign_in sso credential password; authorization
authorize permission access role acl rbac privilege grant; logout log_out signout sign_out session_end;
password passphrase secret credential; token jwt bearer api_key; account user member customer; customer
client buyer shopper purchaser; user person people visitor; admin administrator operator staff superuser; db
database sql datastore; database postgres postgresql mysql sqlite mariadb rdbms; column field attribute; row
record tuple entry; schema ddl migration; migration migrate upgrade backfill; index indexes indices
indexing; query select lookup sql; transaction tx commit atomic; rollback revert undo roll_back; lock mutex
semaphore latch; deadlock hang stuck freeze frozen; race race_condition concurrency concurrent simultaneous
parallel; concurrent simultaneous parallel at_the_same_time; thread worker goroutine process; queue job
backlog broker; queue rabbitmq kafka sqs nats pubsub; job task cron scheduled background; schedule scheduler
cron timer periodic nightly; event message notification; notify notification alert push; alert alarm pager
page oncall; subscribe listen consumer consume; publish emit producer produce send; retry retries reattempt
backoff repeat again; duplicate double twice dedupe dedup deduplicate repeated; idempotent idempotency twice
duplicate; timeout time_out deadline expire; expire expiry expiration ttl stale lifetime; stale outdated old
obsolete out_of_date; cache caching memoize redis memcached; cache invalidate invalidation purge evict; cdn
edge cloudfront fastly; limit quota cap maximum max ceiling bound; throttle throttling rate_limit ratelimit
limiter; slow latency performance sluggish lag delay; fast quick speed performance; optimize optimise
optimization speed_up faster tune; memory ram heap oom leak; leak exhaust exhaustion grow unbounded; cpu
processor core; disk storage volume filesystem; crash panic abort die segfault; crash outage downtime
incident; outage downtime incident postmortem down unavailable; error exception failure fault bug; error
exception throw raise; bug defect regression flaw; fail failure failing broke broken break; fix repair
resolve patch solve; workaround hack mitigation bypass; delete remove erase drop purge destroy; create add
insert make new; update change modify edit alter; rename name; replace substitute swap supersede; copy clone
duplicate; move relocate transfer; merge combine join union consolidate; combine stack together; split
divide partition shard separate; shard sharding partition; sort order ordering rank; order purchase
checkout; cart basket; checkout check_out purchase pay; coupon voucher promo promotion discount promo_code;
discount reduction rebate price; price cost amount fee; money currency amount decimal cents; currency
exchange fx; payment pay charge billing bill stripe; charge bill debit billed; invoice bill receipt; refund
chargeback reimbursement return; subscription plan recurring renewal; tax vat gst; shipping delivery
shipment carrier parcel; inventory stock warehouse; reserve reservation hold held; product item sku article;
picture image photo thumbnail avatar; image picture photo thumbnail; video clip movie stream; file document
attachment; upload attachment; download fetch export; directory folder path; email e_mail mail smtp; sms
text_message; phone telephone mobile; address location; country region locale; language locale translation
i18n localization; translation translate i18n localisation localization; timezone time_zone utc tz; date day
time timestamp; clock time skew; search find lookup query; find locate discover; filter narrow restrict;
pagination paginate page cursor offset; api endpoint route rest; endpoint url route path; url link address
uri; request call http; response reply answer; webhook callback hook; callback handler hook listener;
graphql gql query; grpc protobuf rpc; websocket socket realtime real_time push; json payload body; xml soap;
csv spreadsheet excel; pdf document; serialize serialization encode marshal; deserialize deserialization
decode parse unmarshal; parse parser parsing; validate validation check verify sanitize; verify verification
confirm check; encrypt encryption cipher crypto; hash hashing digest checksum bcrypt argon2 scrypt;
signature sign signed hmac; certificate cert tls ssl https; secret key vault; vulnerability cve exploit
security; security secure safe; xss injection csrf; privacy gdpr personal pii; audit log trail history; log
logging logger logs; log trace tracing observability; metric metrics monitoring telemetry prometheus;
monitor monitoring watch observe; dashboard chart graph panel; test testing spec; test unit_test
integration_test e2e; flaky intermittent unreliable sporadic random nondeterministic; mock stub fake;
fixture seed sample; coverage tested; ci pipeline github_actions jenkins workflow; build compile bundle;
bundle bundler webpack vite rollup esbuild; compile compiler transpile; deploy deployment release rollout
ship; release version publish; rollout canary staged gradual; version revision; production prod live;
staging preprod preview; environment env; config configuration setting settings option; flag toggle
feature_flag switch; dependency package library module; package npm pnpm yarn; library framework package;
upgrade update bump; downgrade pin; container docker image; kubernetes k8s cluster helm pod; server host
machine node instance; cloud aws gcp azure; serverless lambda function; proxy gateway nginx; load_balancer
loadbalancer balancer; network connection socket; connection connect pool; pool pooling pgbouncer; dns
domain hostname; firewall network; backup snapshot dump; restore recover recovery; replica replication
follower standby secondary; primary leader master; leader election consensus; sync synchronize synchronise
synchronization; offline disconnected no_network; conflict collision clash; consistency consistent eventual;
consistent same identical; distributed cluster; microservice service; monolith monorepo; service backend
server; frontend ui client browser; ui interface screen view; screen page view; button click; form input
field; style css theme styling; dark_mode dark theme; layout responsive; font typography; icon svg image;
component widget; render rendering draw paint display; display show visible; hide hidden invisible;
animation transition; scroll scrolling; keyboard shortcut hotkey; accessibility a11y screen_reader aria;
browser chrome safari firefox; cookie session; session cookie; mobile ios android phone; app application;
script tool command; cli command terminal shell; shell bash terminal; git repository repo vcs; repository
repo; branch trunk main; commit changeset; merge pull_request pr; review pull_request pr; revert rollback
undo; lint linter eslint; format formatter prettier; null nil undefined none missing; missing absent lost
gone disappear; lost lose missing disappear; empty blank; wrong incorrect invalid bad; correct right valid;
boolean bool; integer int number; float floating_point double decimal; round rounding precision; string
text; unicode utf8 encoding charset; regex regexp regular_expression pattern; array list; map dictionary
dict hashmap; set collection; tree hierarchy; loop iterate iteration; recursion recursive; async
asynchronous await; block blocking blocked; function method procedure; class struct; interface contract api;
constant literal; variable parameter; argument parameter param; default fallback; deprecated obsolete
legacy; legacy old; refactor cleanup rewrite restructure; rewrite redo reimplement; remove drop delete;
documentation docs readme guide; comment annotation; readme documentation; naming convention name;
convention standard style rule; rule policy; policy guideline; decision choice choose pick decide; choose
select pick; reject refuse deny decline disallow; refuse reject deny; allow permit enable; enable activate
turn_on; disable deactivate turn_off; forbid prohibit ban disallow; require mandatory must; reason why
rationale; goal objective aim; plan roadmap; requirement spec specification; owner responsible maintainer;
assign assignee owner; team group; ticket issue; todo task; finish complete done; start begin launch boot;
startup boot start cold_start; stop halt terminate kill; shutdown stop graceful; restart reboot; pause
suspend; resume continue; wait waiting await; install setup; install installation; uninstall remove; import
ingest load; export dump; convert transform conversion; transform mapping; compress compression gzip zip;
archive zip tar; size length; large big huge; small tiny; increase grow raise; decrease reduce shrink lower;
count total number; sum total; average mean; random uuid; id identifier uuid key; unique distinct; anonymous
guest; guest anonymous; signup sign_up register registration onboarding; profile account; friend contact;
chat message conversation; conversation dialogue thread; comment reply; feed timeline; report reporting
analytics; analytics statistics stats tracking; tracking track; experiment ab_test; recommendation suggest;
machine_learning ml model; model embedding; vector embedding; ai llm model; sensor device; device hardware;
firmware embedded; bluetooth ble; battery power; gps location; weather forecast; game player; score points;
level stage; match game; camera photo; audio sound; sound audio volume; microphone mic; speaker audio;
vehicle car; car vehicle automobile; doctor physician; hospital clinic; medicine drug medication; school
university college; teacher instructor; student pupil; course class lesson; job work career occupation; boss
manager; colleague coworker; company firm business; meeting call appointment; holiday vacation trip travel;
trip travel journey; house apartment flat; child kid children; kid child children son daughter; mother mom
mum; father dad; parent mother father; wife husband spouse partner; friend pal buddy; pet dog cat; book
novel; movie film; music song; food meal dish; hobby interest pastime; buy purchase bought; sell sale sold;
gift present; party celebration; birthday anniversary; sick ill illness; happy glad pleased; sad upset
unhappy; afraid scared fear; angry mad; tired exhausted; beautiful pretty; accept take receive; accidental
accidentally unintended by_mistake; accurate exact precise precision; acknowledge ack confirm; advertisement
ad ads campaign banner; afterwards later subsequent; allocate allocation assign reserve; amount quantity
number; ancient old legacy; answer reply response respond; appear show visible occur; approve approval
accept sign_off; argue discuss debate; arrive arrival receive incoming; artifact binary output; attack abuse
attacker malicious hacker; attempt try retry; authenticator totp otp mfa 2fa two_factor second_factor;
automatic automatically auto; autoscale autoscaling scale; avoid prevent; bandwidth throughput traffic;
batch bulk chunk; begin start initial; behind lag delay; benchmark measure measurement; bigger larger grow;
bot crawler scraper automated; bottleneck slow hotspot; bounce undeliverable; boundary edge limit; browser
tab window; buffer queue; calculate compute calculation; calendar date schedule; cancel abort cancellation;
capacity size limit; carry transport; cascade propagate; catalog catalogue listing; certificate expiry
renew; character letter glyph symbol; cheap inexpensive low_cost; chunk part segment block; circular cycle
loop; cleanup clean tidy vacuum purge gc; clear erase reset empty; click tap press touch; close shut
disconnect; cold_start warmup warm; collect gather aggregate; collision overlap intersect; colour color
shade; compare comparison diff; compatible compatibility; compact compaction shrink; complaint report;
computer machine pc host; confirm confirmation acknowledge; consent agreement opt_in; constraint rule check;
contain include hold; cost price expensive; counter count tally; corrupt corruption damaged garbled;
corruption damage torn; crowd many load; cursor position offset; customer_support support helpdesk; cut
truncate trim; damage corrupt broken; dead unreachable gone; debug diagnose troubleshoot investigate;
decimal fraction cents; delay wait lag postpone defer; deliver send; deny refuse forbid; detect notice
recognize discover; developer engineer programmer; device phone handset; different differ mismatch
discrepancy; difference discrepancy gap drift; digit number; disappear vanish missing lost; disconnect drop;
display screen; distance far; download install; draft unpublished; drift diverge deviation; drop lose
discard; duration time length; dynamic runtime; earlier before previous past; early premature; edit change
modify; emit send fire; employee staff worker; encode encoding; engine core; entire whole full; environment
staging production; equal same equality; escape quote sanitize; estimate approximate guess; evict drop
remove; exceed over above; exchange swap trade; exclusive only sole; execute run invoke; expensive costly
slow; experiment trial test; explode expand; exploit cheat abuse; external outside third_party vendor; extra
additional surplus; facet filter; fail_over failover switchover; fairness fair starvation; fallback default
backup; fetch load get retrieve; field column property; finance accounting bookkeeping; finger touch; flood
burst spike; flush fsync persist write; fork branch; forget lose; forever permanent never_expire; fraud
abuse scam; freeze stall hang block; frequent often; fresh new recent; fsync durable durability flush; full
complete exhausted; garbage gc collector; gateway proxy; generate create produce; guarantee promise ensure;
guess estimate predict; half partial; handshake negotiation; hang stuck freeze block; hardware machine
device; heartbeat ping keepalive; heavy large expensive; hidden invisible; history past log; hot popular
busy; hotfix patch; idle inactive unused; illegal invalid forbidden; immediate immediately instant
instantly; immutable readonly frozen; impossible cannot; inconsistent mismatch; incorrect wrong bad; inherit
inheritance; initial first; insecure unsafe; inspect look examine; instance copy replica; instant immediate;
integrate integration; internal private; interrupt abort; interval period; invite invitation; isolate
isolation sandbox; jitter random; join merge; journal wal log; keep retain retention store; kill terminate;
label tag; lag delay latency; landing_page homepage; laptop computer; last final; layer level; leak escape;
learn train; legal compliance regulation law; letter mail; library dependency; license licence; lifecycle
lifetime; lightweight small; link connection; list listing enumerate; lobby matchmaking; lookup find; loss
lose lost; lower reduce decrease; machine server host; mail email; mandatory required; manual by_hand
manually; marketing campaign; mask redact hide anonymize; match equal; measure metric; merchant seller shop
vendor; message text; meter measure; middleware interceptor; midnight day_boundary; mirror replica copy;
misconfigured misconfiguration; miss absent; mistake error wrong; mobile_app app; mode state; money payment;
month monthly; move migrate; multiple several many; mutable change; name label title; namespace prefix;
native platform; negative minus; nested child; newest latest recent; nightly daily overnight; night nightly
overnight; noise spam; normalize canonical canonicalize; notice detect; nullable null; obfuscate mask;
obsolete deprecated; old legacy previous; open unlock; operate operation; optimistic version; origin source;
orphan orphaned dangling; outgoing egress outbound; incoming ingress inbound; output result; overflow
exceed; overload overloaded saturation; overnight night; override overwrite; overwrite clobber replace;
page_view pageview visit; pair couple; parallel concurrent; parameter setting; partial incomplete;
participant member player; password_reset forgot_password; patch fix; path route; pattern template; payload
body; peak spike rush busiest; peer p2p; penalty punish; pending waiting; percent percentage ratio; periodic
recurring; permanent forever; persist persistence durable save store; physics simulation; pixel dot;
platform system; plugin extension addon; pointer reference; poll polling; popup modal dialog; port socket;
coordinate location; postpone defer delay; predict prediction; preload prefetch; prevent avoid stop; preview
thumbnail; primary_key id; priority urgent importance; private internal; probe health_check healthcheck
liveness readiness; produce generate; profile profiler; progress status; prompt ask; protect guard
protection; protocol wire; provider vendor; proxy forward; publish release; pull fetch; pulse heartbeat;
push send; quality grade; quarantine isolate; quit exit; quote citation; radio wireless; rate frequency
speed; raw unprocessed; reachable connected; read fetch; readonly read_only immutable; rebalance
redistribute; rebuild regenerate recreate; receive get; recent new latest; reconcile reconciliation;
reconnect connect; recover restore; redirect forward; redundant duplicate; reference pointer link; refresh
reload update; region zone; register signup; regression broke; reject decline; reliable reliability; reload
refresh; remember memory; remote distant; repeat again; repeatable deterministic reproducible; reproduce
repro; reset clear; resize scale; resolve fix; resource asset; responsible owner; restrict limit; result
outcome; retain keep; retention keep_for; retire decommission deprecate; reuse share; reverse inverse; risk
danger dangerous; robot bot; rollback revert; rotate rotation; safe secure; salary pay; sample sampling;
sanitize escape clean; save store persist; scale scaling grow; scan read; scope range; scrape crawl; secure
safe; seed initial; segment part; seller merchant; send deliver; sensitive confidential private; sequence
order; sequential serial one_by_one; serial sequential; server_side backend; settle settlement; severity
priority; share common; shared common; shop store; shrink reduce; sign signature; signal notify; silent
silently unnoticed; simultaneous concurrent; skip ignore omit; sleep idle; slice part; snapshot copy;
soft_delete archived; sort order; source origin; spam abuse; spike burst peak surge; split separate; stable
reliable; stack trace; stage phase; stale outdated; standard convention; state status; status state; step
stage; storage disk; store save keep; stream streaming; strict enforce; struct record; stuck hang; subset
part; subtract minus; success succeed; suffix ending; suggest recommend; support help; surge spike;
suspicious fraud; switch change; synthetic fake; table_scan full_scan sequential_scan; target goal; template
pattern; temporary temp tmp; tenant customer organization; terminate stop; third_party vendor; thread
worker; threshold limit; throughput rate; tier level; timestamp time; tombstone deleted; touch tap; trace
log; traffic load requests visits; transfer send; translate convert; trash bin; trigger cause; trim cut;
truncate cut; trust verify; tuple row; twice double; uncommitted dirty; underestimate estimate; unexpected
surprise surprising; unit measure; unlock open; unsafe dangerous; unsubscribe opt_out; unused dead; upper
maximum; urgent priority; usage use; utf8 unicode; vacuum cleanup; vary differ; vendor supplier provider;
verbose noisy; view page; virtual_machine vm; visible show; visit session; visitor user; wake wakeup;
warehouse snowflake bigquery redshift lakehouse; warn warning; weekend saturday sunday; whole entire; width
size; wifi network; window interval; wipe erase; write save; year annual; zero none; zone region
`

/** Stems, one or more in a row. */
export type Expression = readonly string[]

interface Index {
  readonly groupsByWord: ReadonlyMap<string, readonly (readonly string[])[]>
  /** By the first letter, which stemming keeps. */
  readonly wordsByLetter: ReadonlyMap<string, readonly string[]>
}

// Stems only what it has to: a process that answers one call asks for a few words.
const readIndex = once(index)
const stemsByLetter = new Map<string, ReadonlyMap<string, string>>()
const expressionsByWord = new Map<string, readonly Expression[]>()

/** What else a writer may have called this. */
export function synonymsOf(word: string): readonly Expression[] {
  const known = expressionsByWord.get(word)
  if (known !== undefined) return known
  const groups = readIndex().groupsByWord.get(word)
  if (groups === undefined) {
    const nearest = nearestWord(word)
    return nearest === undefined ? [] : synonymsOf(nearest)
  }
  const expressions = expressionsOf(word, groups)
  expressionsByWord.set(word, expressions)
  return expressions
}

/** `accounts` is a form of account rather than of accounting, which has the same stem. */
function nearestWord(word: string): string | undefined {
  const stem = stemOf(word)
  const same = [...stemsFrom(word[0] ?? '')].flatMap(([each, its]) => (its === stem ? [each] : []))
  return same.toSorted(
    (a, b) => Math.abs(a.length - word.length) - Math.abs(b.length - word.length),
  )[0]
}

function stemsFrom(letter: string): ReadonlyMap<string, string> {
  const words = readIndex().wordsByLetter.get(letter) ?? []
  const stems =
    stemsByLetter.get(letter) ?? new Map(words.map((word) => [word, stemOf(word)] as const))
  if (words.length > 0) stemsByLetter.set(letter, stems)
  return stems
}

function expressionsOf(
  word: string,
  groups: readonly (readonly string[])[],
): readonly Expression[] {
  const seen = new Set([stemOf(word)])
  const expressions = groups.flat().map((each) => each.split('_').map(stemOf))
  return expressions.filter((each) => !seen.has(String(each)) && seen.add(String(each)))
}

function index(): Index {
  const groupsByWord = new Map<string, (readonly string[])[]>()
  const wordsByLetter = new Map<string, string[]>()
  for (const group of GROUPS.trim().split(/;\s+/)) {
    const words = group.split(/\s+/)
    for (const word of words) {
      const groups = groupsByWord.get(word)
      if (groups !== undefined) groups.push(words)
      else {
        groupsByWord.set(word, [words])
        const letter = word[0] ?? ''
        wordsByLetter.set(letter, [...(wordsByLetter.get(letter) ?? []), word])
      }
    }
  }
  return { groupsByWord, wordsByLetter }
}
