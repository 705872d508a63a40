import * as z from 'zod'
import { readingAgentId } from '../../agent/acting-agent.ts'
import type { ReadContext } from '../../core/context.ts'
import { defineOperation } from '../../core/operation.ts'
import { counted, line, table } from '../../core/show.ts'
import { yieldToEventLoop } from '../../support/yield-to-event-loop.ts'
import { locksOnAll } from '../../task/lock/locks.ts'
import { FRESHNESS_STATES } from '../freshness.ts'
import { toRepositoryPath } from '../place.ts'
import { annotatedFiles, viewAnnotatedFile } from '../region/annotated-files.ts'
import { type Code, openAnnotatedCode } from '../write/open-code.ts'
import { countRegions, type FileCounts, NO_REGIONS } from './file-counts.ts'

/** Looked at together, before other requests get their turn. */
const FILES_AT_ONCE = 8

/** The same for files that are only counted. */
const TRACKED_AT_ONCE = 1000

const counts = z.object({
  regions: z.record(z.enum(FRESHNESS_STATES), z.int()).describe('Regions by freshness'),
  lines: z.int().describe('Lines of annotated files'),
  annotated_lines: z.int().describe('Lines that a region is about'),
})

const treeEntry = counts.extend({
  path: z.string().describe('A folder ends with a slash'),
  files: z.int().describe('Files that Git knows in it, or 1'),
  annotated_files: z.int(),
  locked_by: z
    .array(z.object({ agent: z.string(), task: z.int() }))
    .optional()
    .describe('Agent that has reserved it, or something in it'),
})
type TreeEntry = z.output<typeof treeEntry>

const treeView = z.object({
  path: z.string(),
  notes: z.array(z.string()).optional(),
  entries: z.array(treeEntry).describe('Folders and annotated files, in the order of a tree'),
  total: treeEntry.omit({ path: true, locked_by: true }),
})

export const showCodeTree = defineOperation({
  name: 'code.tree',
  summary: 'List folders and files with the freshness of their annotations',
  example: 'src --depth 2',
  effect: 'read',
  input: z.object({
    path: z.string().default('.').describe('Folder, from the top of the repository'),
    depth: z.int().min(1).max(64).default(64).describe('Levels of folders below it'),
  }),
  output: treeView,
  positional: ['path'],
  async run(context, { path: given, depth }) {
    const code = await openAnnotatedCode(context)
    const path = toRepositoryPath(code.repository.root, given)
    const prefix = path === '' ? '' : `${path}/`
    const files = await countFiles(context, code, prefix)
    const tracked = code.head === undefined ? [] : await code.repository.trees.files(code.head.id)
    const tree = await addFolders({ context, prefix, depth }, files, tracked)
    const shown = [...tree.values()]
      .filter((entry) => entry.path !== prefix && depthOf(entry.path, prefix) <= depth)
      .toSorted((one, other) => (one.path < other.path ? -1 : 1))
    const { path: _, ...total } = tree.get(prefix) ?? newFolder(prefix)
    return {
      path: prefix,
      ...(code.notices.length > 0 && { notes: [...code.notices] }),
      entries: await withLocks(context, shown),
      total,
    }
  },
  show: ({ entries, total }) => [
    table(entries, [
      { head: 'PATH', value: ({ path }) => path },
      ...FRESHNESS_STATES.map((state) => ({
        head: state.toUpperCase(),
        value: ({ regions }: TreeEntry) => regions[state] || '',
      })),
      { head: 'LINES', value: (entry) => `${shareOf(entry)} %` },
      {
        head: 'RESERVED BY',
        value: ({ locked_by = [] }) => locked_by.map(({ agent }) => agent).join(', '),
      },
    ]),
    line`${counted(total.annotated_files, 'annotated file')} of ${total.files}`,
  ],
})

/** The counts of every annotated file below the prefix. */
async function countFiles(
  context: ReadContext,
  code: Code,
  prefix: string,
): Promise<ReadonlyMap<string, FileCounts>> {
  const inside = (await annotatedFiles(code)).filter((file) => file.path?.startsWith(prefix))
  const found = new Map<string, FileCounts>()
  for (let at = 0; at < inside.length; at += FILES_AT_ONCE) {
    const views = await Promise.all(
      inside.slice(at, at + FILES_AT_ONCE).map((file) => viewAnnotatedFile(code, file)),
    )
    for (const view of views) {
      if (view !== undefined) found.set(view.path, await countRegions(code, view))
      await yieldToEventLoop(context.signal)
    }
  }
  return found
}

interface Part {
  readonly context: ReadContext
  readonly prefix: string
  readonly depth: number
}

/** Folders above annotated files, with the sums of what is in them. */
async function addFolders(
  { context, prefix, depth }: Part,
  files: ReadonlyMap<string, FileCounts>,
  tracked: Iterable<string>,
): Promise<ReadonlyMap<string, TreeEntry>> {
  const tree = new Map<string, TreeEntry>([[prefix, newFolder(prefix)]])
  for (const [path, { regions, lines, annotatedLines }] of files) {
    const own = { regions, lines, annotated_lines: annotatedLines, annotated_files: 1 }
    tree.set(path, { path, files: 1, ...own })
    for (const folder of foldersOf(path, prefix, depth))
      tree.set(folder, sum(tree.get(folder) ?? newFolder(folder), own))
  }
  let looked = 0
  for (const path of tracked) {
    if (!path.startsWith(prefix)) continue
    for (const folder of foldersOf(path, prefix, depth)) {
      const entry = tree.get(folder)
      if (entry !== undefined) entry.files += 1
    }
    looked += 1
    if (looked % TRACKED_AT_ONCE === 0) await yieldToEventLoop(context.signal)
  }
  return tree
}

/** The folders that a path is in, down from the prefix. A hostile tree may have thousands of levels. */
function foldersOf(path: string, prefix: string, depth: number): readonly string[] {
  const folders = [prefix]
  let at = path.indexOf('/', prefix.length)
  for (; at !== -1 && folders.length <= depth; at = path.indexOf('/', at + 1))
    folders.push(path.slice(0, at + 1))
  return folders
}

function depthOf(path: string, prefix: string): number {
  return path.slice(prefix.length).replace(/\/$/, '').split('/').length
}

function newFolder(path: string): TreeEntry {
  const none = { lines: 0, annotated_lines: 0, files: 0, annotated_files: 0 }
  return { path, regions: { ...NO_REGIONS }, ...none }
}

function sum(entry: TreeEntry, other: Omit<TreeEntry, 'path' | 'files'>): TreeEntry {
  const regions = { ...entry.regions }
  for (const state of FRESHNESS_STATES) regions[state] += other.regions[state]
  return {
    ...entry,
    regions,
    lines: entry.lines + other.lines,
    annotated_lines: entry.annotated_lines + other.annotated_lines,
    annotated_files: entry.annotated_files + other.annotated_files,
  }
}

/** A lock counts for the file that it covers and for every folder above it. */
async function withLocks(
  context: ReadContext,
  entries: readonly TreeEntry[],
): Promise<TreeEntry[]> {
  const asker = {
    agentId: readingAgentId(context, undefined),
    now: await context.store.now(context),
  }
  const paths = entries.map(({ path }) => path.replace(/\/$/, ''))
  const locks = await locksOnAll(context, paths, asker)
  return entries.map((entry, at) => {
    const own = locks.filter(({ path }) => path === paths[at])
    const locked_by = own.map(({ reservation: { agent_id, agent_name, task } }) => ({
      agent: agent_name ?? agent_id,
      task: task.number,
    }))
    return locked_by.length === 0 ? entry : { ...entry, locked_by }
  })
}

function shareOf({ lines, annotated_lines }: Pick<TreeEntry, 'lines' | 'annotated_lines'>): number {
  return lines === 0 ? 0 : Math.round((100 * annotated_lines) / lines)
}
