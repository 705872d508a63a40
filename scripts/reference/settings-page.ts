import {
  type Config,
  DEFAULTS,
  SETTING_NAMES,
  VARIABLES,
} from '../../packages/waymark/src/core/project/config.ts'
import { DIALECT_NAMES } from '../../packages/waymark/src/dialects/load-dialects.ts'
import { LOG_LEVELS } from '../../packages/waymark/src/support/logger.ts'
import {
  PROJECT_RULES,
  type ProjectRule,
} from '../../packages/waymark/src/core/project/project-settings.ts'

interface About {
  readonly what: string
  readonly flag?: string
  /** Where there is none in a word. */
  readonly without?: string
}

const SETTINGS: Readonly<Record<keyof Config, About>> = {
  logLevel: { what: `what is logged: ${LOG_LEVELS.join(', ')}` },
  requestTimeoutMs: {
    what: 'how long one request to a server may take, in milliseconds; `TASKY_MCP_TIMEOUT_SECONDS` says it in seconds',
    flag: '`serve --timeout-seconds`',
  },
  maxConcurrentRequests: {
    what: 'how many requests of one connection run at the same time; more of them wait',
    flag: '`serve --max-concurrent-requests`',
  },
  maxBatchSize: { what: 'how many operations one batch may hold' },
  maxArtifactBytes: { what: 'how large an artifact may be' },
  actor: {
    what: 'name to write beside changes',
    flag: '`--actor`',
    without: 'git’s `user.name`, or the name of the client',
  },
  allowedSecrets: {
    what: 'fingerprints and rules of text that looks like a secret and may be stored all the same ([guide](../guides/secrets.md)); the variable takes several with commas, beside those of the file',
    without: 'none',
  },
  description: {
    what: 'what the project is about, for agents that are new to it; 2,000 characters at most',
    without: 'none',
  },
  embedding: {
    what: 'the model that judges what texts mean; see below',
    without: 'one that needs nothing',
  },
}

/** The page about settings; a test finds out whether a variable that is read anywhere is missing. */
export function settingsPage(): string {
  return `${[
    '# Settings',
    'Made by `npm run generate` from the definitions; do not edit it by hand. Nothing has to be set.',
    '## Project and user settings',
    'A flag wins over a variable, a variable over `.waymark/config.json` in the working tree, and the file over the default. The file is one JSON object that comes with a clone, so a project may set only what the second column says. A number beyond that is taken as the nearest one allowed, the rest is ignored; both are a warning, and `waymark doctor` names them with what to set instead. A key that this version does not know is ignored, because a newer one may; `waymark doctor` names it too.',
    table(
      ['key in the file', 'project file may set it', 'variables', 'flag', 'default', ''],
      SETTING_NAMES.map((name) => settingRow(name)),
    ),
    '## The model that judges what texts mean',
    'Search by meaning works without any of these. Only the environment can name an address, also one on this machine: a clone must not decide where your texts are sent.',
    variables({
      WAYMARK_EMBEDDING_URL:
        'address in front of `/embeddings` at a service that answers as OpenAI’s does, such as `http://127.0.0.1:11434/v1`; with it, search judges by meaning unless told not to',
      WAYMARK_EMBEDDING_MODEL: 'name of the model there; required beside the address',
      WAYMARK_EMBEDDING_KEY: 'the key that is sent there, if it wants one',
      WAYMARK_EMBEDDING_KEY_VARIABLE: 'name of another variable that holds the key',
    }),
    '## Of a server',
    'Flags win. Variables alone do not switch HTTP on. The [guide](../guides/http.md) says what each means for who may come in.',
    variables({
      WAYMARK_TOOLSETS: 'as `serve --toolsets`: groups of tools that are offered',
      'WAYMARK_HOST, TASKY_MCP_HOST': 'as `serve --host`',
      'WAYMARK_PORT, TASKY_MCP_PORT': 'as `serve --port`',
      WAYMARK_PUBLIC_URL: 'as `serve --public-url`',
      WAYMARK_ALLOWED_HOSTS: 'as `serve --allowed-host`, several with commas',
      WAYMARK_ALLOWED_ORIGINS: 'as `serve --allowed-origin`, several with commas',
      WAYMARK_HTTP_SECRET: 'the secret that callers have to know, instead of the one in a file',
      WAYMARK_PLAIN_HTTP: '`1`: as `serve --plain-http`',
      WAYMARK_RATE_LIMIT: 'as `serve --rate-limit`',
      'OAUTH_ISSUER_URL, TASKY_MCP_OAUTH_ISSUER_URL':
        'whose tokens are taken; an https address, or an http address of this machine',
      'OAUTH_CLIENT_ID, TASKY_MCP_OAUTH_CLIENT_ID':
        'clients whose tokens are taken by their claim `client_id`, several with commas; those of all when absent',
      'OAUTH_AUDIENCE, TASKY_MCP_OAUTH_AUDIENCE':
        'what tokens must be meant for; the address of the server when absent',
      'OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, OTEL_EXPORTER_OTLP_METRICS_ENDPOINT':
        'where spans and metrics are sent, as JSON over HTTP; nowhere when absent',
      'OTEL_TRACES_EXPORTER, OTEL_METRICS_EXPORTER': '`none` sends none of them',
      OTEL_METRIC_EXPORT_INTERVAL: 'milliseconds between two reports of metrics',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'only `http/json` is supported; another value logs a warning',
      OTEL_SDK_DISABLED: '`true` sends nothing at all',
    }),
    '## Of hosts and terminals',
    variables({
      WAYMARK_TOKEN:
        'the secret or token that a host sends; `waymark install --http` writes this name into its files',
      'VISUAL, EDITOR': 'the editor of `--edit`',
      'NO_COLOR, FORCE_COLOR, CLICOLOR, CLICOLOR_FORCE':
        'whether there are colours; otherwise on a terminal only',
    }),
    '## Of annotations',
    'Read from git’s configuration as `ultragit.<key>`, else from `.ultragit-config.toml` in the working tree, where underscores are allowed in keys and `[ultragit]` may stand around everything. Upper and lower case are the same.',
    table(
      ['key', 'default', ''],
      ANNOTATIONS.map(([key, start, what]) => [`\`${key}\``, start, what]),
    ),
    'Git’s own configuration also knows `waymark.trustedRepository`, in your global settings only: a repository whose own Git settings are in force when it is synchronised ([which are otherwise](../guides/sync.md#git-settings-of-the-repository)). `safe.directory` means the same as to Git: a folder, all below one (`/srv/*`) or every one (`*`) that may be used though it belongs to another user, again in your own settings only. There are also `waymark.sync.sign` (`true`: sign the log) and `waymark.sync.unsigned` (`accept`, the default, or `quarantine`: take in only what is signed with a trusted key); [what they do](../guides/sync.md#sign-the-log).',
    '## Dialects',
    `\`waymark serve --dialect\` takes one of these, or several with commas: ${DIALECT_NAMES.map((name) => `\`${name}\``).join(', ')}. \`ultragit-write\` is \`ultragit\` and a tool to annotate with, which \`waymark mcp start --write\` serves; the [tools](tools.md) of the others are their own.`,
  ].join('\n\n')}\n`
}

const ANNOTATIONS: readonly (readonly [key: string, start: string, what: string])[] = [
  [
    'noteRef',
    '`refs/notes/waymark`',
    'the only notes ref to read and write; without it `refs/notes/ultragit` is read too, and the `ultragit` dialect writes there',
  ],
  [
    'include',
    'all files',
    'patterns of files that annotations are about; a list, or several values',
  ],
  ['exclude', 'none', 'patterns of files that they are not about'],
  ['defaultMaxRegions', '20', 'how many regions an answer has at most'],
  ['historyDefaultLimit', '10', 'how many commits of a history are shown'],
  ['recencyHalfLife', '180', 'days after which an annotation counts half'],
  ['corrections.confidencePenalty', '0.15', 'what each correction takes from its confidence'],
  ['corrections.confidenceFloor', '0.1', 'below this confidence does not fall'],
]

function settingRow(name: keyof Config): readonly string[] {
  const { what, flag = '', without } = SETTINGS[name]
  const start: string | number | undefined = Object.hasOwn(DEFAULTS, name)
    ? DEFAULTS[name as keyof typeof DEFAULTS]
    : undefined
  const names = Object.hasOwn(VARIABLES, name) ? VARIABLES[name as keyof typeof VARIABLES] : []
  return [
    `\`${name}\``,
    permission(PROJECT_RULES[name]),
    names.map((each) => `\`${each}\``).join(', '),
    flag,
    start === undefined ? (without ?? '') : `\`${start}\``,
    what,
  ]
}

function permission(rule: ProjectRule): string {
  switch (rule.kind) {
    case 'any':
      return 'yes'
    case 'range':
      return `${rule.least} to ${rule.most}`
    case 'fingerprints':
      return 'fingerprints only'
    case 'never':
      return 'no'
  }
}

function variables(about: Readonly<Record<string, string>>): string {
  return table(
    ['variable', ''],
    Object.entries(about).map(([names, what]) => [
      names
        .split(', ')
        .map((name) => `\`${name}\``)
        .join(', '),
      what,
    ]),
  )
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n')
}
