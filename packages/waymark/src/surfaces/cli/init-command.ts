import { type InitialisedProject, initialiseProject } from '../../core/project/project.ts'
import type { RemoteKnowledge } from '../../sync/remote/remote-knowledge.ts'
import { plain } from '../terminal/escape.ts'
import { answerOf, type GlobalOptions, runOperation } from '../run-operation.ts'
import type { Terminal } from '../terminal/terminal.ts'

export interface InitOptions extends GlobalOptions {
  readonly scope: 'shared' | 'worktree'
  /** The id of a project in PostgreSQL that other clones have created. */
  readonly project?: string
  /** Undefined: ask, if there is a person to ask. */
  readonly sync?: boolean
}

/** Makes a project, says what the remote has and gets it if it is wanted. */
export async function initCommand(options: InitOptions, terminal: Terminal): Promise<void> {
  const { scope, sync, project: projectId } = options
  const project = await initialiseProject(options.directory ?? terminal.cwd, {
    scope,
    ...(projectId !== undefined && { projectId }),
  })
  const isAsked = project.in_git && scope === 'shared' && sync === undefined
  const remote = isAsked ? await lookForKnowledge(project) : undefined
  if (options.json === true) {
    const report =
      sync === true ? { sync: await answerOf(await loadSync(), options, terminal, noInput) } : {}
    const found = { ...project, ...(remote !== undefined && { remote }), ...report }
    terminal.out(`${JSON.stringify(found)}\n`)
    return
  }
  terminal.out(describe(project, remote))
  const isSynced = sync === true || (await wantsSync(remote, terminal))
  try {
    if (isSynced) await runOperation(await loadSync(), options, terminal, noInput)
  } finally {
    if (project.created) terminal.out(describeNext(isSynced ? undefined : remote))
  }
}

const noInput = async () => ({})

/** Only when it is wanted: it loads the whole exchange. */
async function loadSync() {
  return (await import('../../sync/operations.ts')).runSync
}

async function lookForKnowledge(project: InitialisedProject): Promise<RemoteKnowledge | undefined> {
  const { findRemoteKnowledge } = await import('../../sync/remote/remote-knowledge.ts')
  return await findRemoteKnowledge(project)
}

async function wantsSync(
  remote: RemoteKnowledge | undefined,
  terminal: Terminal,
): Promise<boolean> {
  if (remote?.state !== 'present') return false
  return (await terminal.confirm('Get it now?')) === true
}

function describe(project: InitialisedProject, remote: RemoteKnowledge | undefined): string {
  const { root, created, in_git } = project
  const place = plain(root)
  const lines = created ? [`Waymark is ready in ${place}`] : [`already a Waymark project: ${place}`]
  if (!in_git && created) lines.push(...OUTSIDE_GIT)
  if (remote !== undefined) lines.push(...describeRemote(remote))
  return `${lines.join('\n')}\n`
}

const OUTSIDE_GIT = [
  'This is not a Git repository: `waymark sync`, `waymark code` and hooks will not work here.',
  'To have them, run `git init`, then move `.waymark/state` to `.git/waymark`.',
]

function describeRemote({ remote, state }: RemoteKnowledge): readonly string[] {
  const name = plain(remote)
  if (state === 'present') {
    return [`${name} has knowledge of this project that is not here yet; \`waymark sync\` gets it.`]
  }
  if (state === 'absent') return []
  return [`${name} did not say whether it has knowledge of this project; try \`waymark sync\`.`]
}

function describeNext(remote: RemoteKnowledge | undefined): string {
  const steps = [
    ...(remote === undefined
      ? []
      : [`  waymark sync             exchange knowledge with ${plain(remote.remote)}`]),
    '  waymark install          add Waymark to Claude Code, Cursor and other hosts',
    '  waymark doctor           check that everything works',
    '  waymark add decision "Use SQLite for storage" --status accepted',
    '  waymark --help           show all commands',
  ]
  return `\nNext:\n${steps.join('\n')}\n`
}
