import type { ProjectRule, Setting } from '../../packages/waymark/src/core/project/setting.ts'
import { flagName } from '../../packages/waymark/src/core/project/setting.ts'
import {
  EMBEDDING_SETTINGS,
  PROJECT_SETTINGS,
  SERVER_SETTINGS,
} from '../../packages/waymark/src/core/project/settings.ts'
import { DIALECT_NAMES } from '../../packages/waymark/src/dialects/load-dialects.ts'

/** The page about settings; a test finds out whether a variable that is read anywhere is missing. */
export function settingsPage(): string {
  return `${[
    '# Settings',
    'Made by `npm run generate` from the definitions; do not edit it by hand. Nothing has to be set.',
    '## Project and user settings',
    'A flag wins over a variable, a variable over `.waymark/config.json` in the working tree, and the file over the default. The file is one JSON object that comes with a clone, so a project may set only what the second column says. A number beyond that is taken as the nearest one allowed, the rest is ignored; both are a warning, and `waymark doctor` names them with what to set instead. A key that this version does not know is ignored, because a newer one may; `waymark doctor` names it too.',
    table(
      ['key in the file', 'project file may set it', 'variables', 'flag', 'default', ''],
      Object.entries<Setting<unknown>>(PROJECT_SETTINGS).map(([name, setting]) => [
        code(name),
        permission(setting.project),
        ...settingCells(setting),
      ]),
    ),
    '## The model that judges what texts mean',
    'Without a model, search compares words, their forms and common synonyms of software; see [recall](../guides/recall.md). Only the environment can name an address, also one on this machine: a clone must not decide where your texts are sent.',
    settings(EMBEDDING_SETTINGS),
    '## The database',
    'A project lies in SQLite inside the repository’s Git folder and needs no setting, unless it was created with this variable ([guide](../guides/postgresql.md)). A project’s file cannot set it: the address may hold a password, and a clone must not choose where your texts go.',
    variables({
      WAYMARK_DATABASE_URL:
        'address of a PostgreSQL database, such as `postgres://waymark@db.example.com/waymark`; `waymark init` creates new projects there, and projects that were created there need it',
    }),
    '## Of a server',
    'Flags win. Variables alone do not switch HTTP on. The [guide](../guides/http.md) says what each means for who may come in.',
    settings(SERVER_SETTINGS),
    'A server sends its telemetry as the variables of OpenTelemetry say:',
    variables({
      'AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN':
        'keys for artifacts in storage that speaks S3 ([guide](../guides/team-server.md#artifacts))',
      'AWS_REGION, AWS_ENDPOINT_URL_S3': 'where that storage is, unless its address says so',
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
      BROWSER:
        'the program that `waymark ui` opens the page with, instead of the one that the system prefers',
      'WAYMARK_PAGER, PAGER':
        'the pager for output that is longer than the terminal, the first one counts; otherwise `less -FRX` if it is installed. Empty or `cat`: none. Started without a shell, from an absolute path or a folder in `PATH`; never in a pipe or for an agent',
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

/** Those that have a variable; [commands](commands.md) has all flags. */
function settings(rows: Readonly<Record<string, Setting<unknown>>>): string {
  const named = Object.values(rows).filter(({ env }) => env.length > 0)
  return table(['variables', 'flag', 'default', ''], named.map(settingCells))
}

function settingCells(setting: Setting<unknown>): readonly string[] {
  const { env, default: start, about } = setting
  const flag = flagName(setting)
  const isShown = typeof start === 'string' || typeof start === 'number'
  return [
    env.map(code).join(', '),
    flag === undefined ? '' : code(flag === '--actor' ? flag : `serve ${flag}`),
    isShown ? code(String(start)) : '',
    about,
  ]
}

function code(text: string): string {
  return `\`${text}\``
}

function permission(rule: ProjectRule | undefined): string {
  switch (rule?.kind) {
    case 'any':
      return 'yes'
    case 'range':
      return `${rule.least} to ${rule.most}`
    case 'fingerprints':
      return 'fingerprints only'
    case 'never':
    case undefined:
      return 'no'
  }
}

function variables(about: Readonly<Record<string, string>>): string {
  return table(
    ['variable', ''],
    Object.entries(about).map(([names, what]) => [names.split(', ').map(code).join(', '), what]),
  )
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n')
}
