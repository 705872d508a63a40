const BATON = 'packages/baton/test'

/** What the tests of the protocol, of its transports and of whom they let in try. */
export const WIRE_TESTS = [
  {
    what: 'A refusal says where to get a token, and no more',
    file: `${BATON}/auth/challenges.test.ts`,
    id: 'challenges-request-credentials',
  },
  {
    what: 'Only the exact audience passes',
    file: `${BATON}/auth/access-token.test.ts`,
    id: 'access-token-only-exact',
  },
  {
    what: 'Forged and foreign keys are refused',
    file: `${BATON}/auth/access-token.test.ts`,
    id: 'access-token-tokens-forged',
  },
  {
    what: 'No header makes a token good that the issuer would not have signed so',
    file: `${BATON}/auth/forged-tokens.test.ts`,
    id: 'forged-tokens-token-passes',
  },
  {
    what: 'Times of tokens are exact',
    file: `${BATON}/auth/access-token.test.ts`,
    id: 'access-token-times-exact',
  },
  {
    what: 'Other tokens of the same issuer are refused',
    file: `${BATON}/auth/access-token.test.ts`,
    id: 'access-token-kinds-tokens',
  },
  {
    what: 'No changed token is accepted',
    file: `${BATON}/auth/token-mutation.test.ts`,
    id: 'token-mutation-changed-tokens',
    count: 'MUTATIONS = isFullLevel ? 20_000 : 2_000',
  },
  {
    what: 'Unknown key ids do not make a flood of requests',
    file: `${BATON}/auth/key-rotation.test.ts`,
    id: 'key-rotation-unknown-ids',
    count: 'UNKNOWN_IDS = isFullLevel ? 10_000 : 2_000',
  },
  {
    what: 'A dead issuer is never taken for a bad token',
    file: `${BATON}/auth/issuer-faults.test.ts`,
    id: 'issuer-faults-unreachable-effect',
  },
  {
    what: 'No redirect of an issuer is followed',
    file: `${BATON}/auth/issuer-faults.test.ts`,
    id: 'issuer-faults-redirect-followed',
  },
  {
    what: 'A stream ends with the token that opened it',
    file: `${BATON}/http/sessions/expiry.test.ts`,
    id: 'expiry-every-kind',
  },
  {
    what: 'Tasks and subscriptions belong to whoever began them',
    file: `${BATON}/http/sessions/foreign-handles.test.ts`,
    id: 'foreign-handles-task-unknown',
  },
  {
    what: 'Clients with the same request ids see no byte of each other, over HTTP',
    file: `${BATON}/http/sessions/isolation.test.ts`,
    id: 'isolation-sessions-see',
    count: 'CLIENTS = 64',
  },
  {
    what: 'Clients with the same request ids see no byte of each other, over pipes',
    file: `${BATON}/stdio/load.test.ts`,
    id: 'load-clients-both',
    count: 'ANSWERS = isFullLevel ? 200_000 : 6_400',
  },
  {
    what: 'Ids of sessions and tasks cannot be guessed',
    file: `${BATON}/session/random-id.test.ts`,
    id: 'random-id-ids-sessions',
    count: 'IDS = isFullLevel ? 1_000_000 : 50_000',
  },
  {
    what: 'Streams survive kills and lost connections',
    file: `${BATON}/http/sessions/restart.test.ts`,
    id: 'restart-kills-reconnects',
    count: 'EVENTS = isFullLevel ? 100_000 : 3_500',
  },
  {
    what: 'A session belongs to whoever opened it',
    file: `${BATON}/http/app/access.test.ts`,
    id: 'access-session-another',
  },
  {
    what: 'Malformed frames are answered',
    file: `${BATON}/wire/malformed-frames.test.ts`,
    id: 'malformed-frames-more-twenty',
  },
  {
    what: 'A message that is cut anywhere is refused',
    file: `${BATON}/wire/malformed-frames.test.ts`,
    id: 'malformed-frames-message-cut',
  },
  {
    what: 'Random frames neither end nor silence a server',
    file: `${BATON}/wire/fuzz.test.ts`,
    id: 'fuzz-fuzzed-frames',
    count: 'FRAMES = isFullLevel ? 200_000 : 20_000',
  },
  {
    what: 'Random bodies neither end nor silence a server, over HTTP',
    file: `${BATON}/wire/fuzz.test.ts`,
    id: 'fuzz-fuzzed-bodies',
    count: 'BODIES = isFullLevel ? 20_000 : 1_500',
  },
  {
    what: 'Frames without an end are cut off',
    file: `${BATON}/wire/sizes.test.ts`,
    id: 'sizes-mib-newline',
    count: 'ENDLESS_MEBIBYTES = isFullLevel ? 1024 : 256',
  },
  {
    what: 'Messages are bounded by size and by members',
    file: `${BATON}/wire/sizes.test.ts`,
    id: 'sizes-100-000',
  },
  {
    what: 'Names that reach a prototype are refused',
    file: `${BATON}/wire/sizes.test.ts`,
    id: 'sizes-name-refused',
  },
  {
    what: 'Text comes back as it was',
    file: `${BATON}/wire/strings.test.ts`,
    id: 'strings-echoed-unchanged',
    count: 'STRINGS = isFullLevel ? 100_000 : 20_000',
  },
  {
    what: 'What is not UTF-8 is refused',
    file: `${BATON}/wire/strings.test.ts`,
    id: 'strings-any-two',
    count: 'SECOND_BYTES = isFullLevel ? 256 : 40',
  },
  {
    what: 'The eras of the protocol are kept apart',
    file: `${BATON}/http/requests/era-mix-ups.test.ts`,
    id: 'era-mix-ups-least-24',
  },
  {
    what: 'A changed request state is refused',
    file: `${BATON}/server/request-state.test.ts`,
    id: 'request-state-accepted-bit',
  },
  {
    what: 'Progress has a limit',
    file: `${BATON}/wire/messages.test.ts`,
    id: 'messages-flood-final',
  },
  {
    what: 'Half requests keep nobody out',
    file: `${BATON}/http/abuse/slow-clients.test.ts`,
    id: 'slow-clients-500-connections',
  },
  {
    what: 'Pipelined requests are answered once each, over HTTP',
    file: `${BATON}/http/requests/pipelining.test.ts`,
    id: 'pipelining-pipelined-requests',
    count: 'REQUESTS_PER_ROUND = isFullLevel ? 2_000 : 300',
  },
  {
    what: 'Cancelling leaves nothing behind, over HTTP',
    file: `${BATON}/http/requests/cancellation.test.ts`,
    id: 'cancellation-races-each',
    count: 'RACES = isFullLevel ? 500 : 100',
  },
  {
    what: 'Pipelined requests are answered once each',
    file: `${BATON}/stdio/load.test.ts`,
    id: 'load-10-000',
  },
  {
    what: 'Cancelling leaves nothing behind',
    file: `${BATON}/stdio/load.test.ts`,
    id: 'load-1-000',
  },
  {
    what: 'Line breaks in a text do not break a frame, on a pipe',
    file: `${BATON}/wire/framing.test.ts`,
    id: 'framing-messages-full',
    count: 'FRAMES = isFullLevel ? 50_000 : 5_000',
  },
  {
    what: 'Line breaks in a text do not break a frame, in a stream',
    file: `${BATON}/wire/framing.test.ts`,
    id: 'framing-messages-full-line',
    count: 'FRAMES = isFullLevel ? 50_000 : 5_000',
  },
  {
    what: 'A bad network makes no wrong result',
    file: `${BATON}/http/abuse/chaos.test.ts`,
    id: 'chaos-calls-through',
    count: 'CALLS = isFullLevel ? 10_000 : 200',
  },
  {
    what: 'Many subscriptions are bounded',
    file: `${BATON}/http/abuse/abuse.test.ts`,
    id: 'abuse-gets-1',
  },
  {
    what: 'Packed bodies are not unpacked',
    file: `${BATON}/http/abuse/abuse.test.ts`,
    id: 'abuse-gets-small',
  },
  {
    what: 'Standard output stays pure when the process crashes',
    file: `${BATON}/stdio/stdio-process.test.ts`,
    id: 'stdio-process-ends-writes',
  },
  {
    what: 'Standard output is protocol only',
    file: `${BATON}/stdio/stdio-process.test.ts`,
    id: 'stdio-process-standard-output',
  },
  {
    what: 'Readers that do not read cost little',
    file: `${BATON}/http/abuse/unread-streams.test.ts`,
    id: 'unread-streams-clients-never',
    count: 'READERS = isFullLevel ? 64 : 4',
  },
  {
    what: 'Sessions that are opened and left cost little',
    file: `${BATON}/http/abuse/abandoned-sessions.test.ts`,
    id: 'abandoned-sessions-cost-little',
    count: 'ABANDONED = isFullLevel ? 100_000 : 400',
  },
]
