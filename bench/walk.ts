// Counts the source files that a warm call runs through, from V8's precise coverage, and prints them by folder.
import { Session } from 'node:inspector/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { connect } from '../packages/waymark/test/dialects/client.ts'

const ROOT = fileURLToPath(new URL('../packages/', import.meta.url))

const CALLS: Readonly<
  Record<string, { readonly tool: string; readonly args: () => Record<string, unknown> }>
> = {
  remember: {
    tool: 'remember',
    args: () => ({ type: 'note', title: 'a note', content: 'some text' }),
  },
  recall: { tool: 'recall', args: () => ({ query: 'note' }) },
  task_create: { tool: 'task_create', args: () => ({ tasks: [{ title: 'a task' }] }) },
}

const { values } = parseArgs({ options: { files: { type: 'boolean', default: false } } })

await using client = await connect('waymark')
for (const [name, { tool, args }] of Object.entries(CALLS)) {
  await client.call(tool, args())
  await client.call(tool, args())
  const files = await covered(async () => {
    await client.call(tool, args())
  })
  console.log(`\n${name}: ${files.length} files`)
  for (const [folder, paths] of byFolder(files)) {
    console.log(`  ${String(paths.length).padStart(3)} ${folder}`)
    if (values.files) for (const path of paths) console.log(`        ${path}`)
  }
}

/** The files of which a function ran; their top level ran when they were loaded. */
async function covered(work: () => Promise<void>): Promise<readonly string[]> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await work()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  session.disconnect()
  return result
    .filter(({ url, functions }) => url.includes('/src/') && functions.some(hasRun))
    .map(({ url }) => fileURLToPath(url.replace(/\?.*$/, '')))
    .filter((path) => path.startsWith(ROOT))
    .map((path) => path.slice(ROOT.length))
    .toSorted()
}

function hasRun({
  functionName,
  ranges: [range],
}: {
  readonly functionName: string
  readonly ranges: readonly { readonly count: number }[]
}): boolean {
  return functionName !== '' && (range?.count ?? 0) > 0
}

function byFolder(files: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>()
  for (const path of files) {
    const folder = path.slice(0, path.lastIndexOf('/'))
    groups.set(folder, [...(groups.get(folder) ?? []), path])
  }
  return groups
}
