import * as z from 'zod'
import { SNAPSHOT_FOLDER } from './entry.ts'
import { everyEntity, everyRelation } from './everything.ts'
import { toSnapshotFiles } from './files.ts'
import { Failure } from '../core/error.ts'
import { withField } from '../support/files/file-failure.ts'
import { findWorkTree } from '../support/files/worktree/work-tree.ts'
import { defineOperation } from '../core/operation.ts'
import { oneLine } from '../core/input/schema.ts'
import { locateFolder, writeSnapshot } from './write-snapshot.ts'
import type { EntityRow } from '../entity/store.ts'
import { type Block, counted, line, own } from '../core/show.ts'

const PATHS_SHOWN = 200

const paths = z.array(z.string())

const snapshotView = z.object({
  output_dir: z.string(),
  dry_run: z.boolean(),
  decisions: z.int(),
  tasks_total: z.int(),
  tasks_active: z.int(),
  tasks_completed: z.int(),
  notes: z.int(),
  prompts: z.int(),
  components: z.int(),
  links: z.int(),
  file_count: z.int(),
  changed: z.boolean().describe('false when the snapshot was up to date'),
  files_generated: paths.describe(`At most ${PATHS_SHOWN} of those that are new or different`),
  files_removed: paths.describe(`At most ${PATHS_SHOWN} that are no longer part of it`),
})
type SnapshotView = z.output<typeof snapshotView>

export const createSnapshot = defineOperation({
  name: 'snapshot.create',
  summary: 'Write everything as Markdown files that can be read, compared and committed',
  example: '--dry-run',
  effect: 'write',
  input: z.object({
    output_dir: oneLine({ max: 1024 })
      .default(SNAPSHOT_FOLDER)
      .describe('Folder inside the project; only a snapshot may be there'),
    dry_run: z.boolean().default(false).describe('Say what would be written, and write nothing'),
  }),
  output: snapshotView,
  async run(context, { output_dir, dry_run }) {
    const { project } = context
    if (project === undefined) {
      throw new Failure('not_initialised', 'a snapshot needs a working tree to be written to')
    }
    const tree = await findWorkTree(project.root, project.state)
    const folder = await withField('output_dir', () => locateFolder(tree, output_dir))
    const entities = await everyEntity(context)
    const relations = await everyRelation(context)
    const files = toSnapshotFiles({ entities, relations })
    context.signal.throwIfAborted()
    const { written, removed } = await writeSnapshot({ tree, folder }, files, { dryRun: dry_run })
    return {
      output_dir,
      dry_run,
      ...countsOf(entities),
      file_count: files.size,
      changed: written.length + removed.length > 0,
      files_generated: written.slice(0, PATHS_SHOWN),
      files_removed: removed.slice(0, PATHS_SHOWN),
    }
  },
  show: showSnapshot,
})

function countsOf(entities: readonly EntityRow[]) {
  const count = (type: string) => entities.filter((entity) => entity.type === type).length
  const isOver = ({ type, status }: EntityRow) =>
    type === 'task' && (status === 'done' || status === 'cancelled')
  const completed = entities.filter(isOver).length
  const tasks = count('task')
  return {
    decisions: count('decision'),
    tasks_total: tasks,
    tasks_active: tasks - completed,
    tasks_completed: completed,
    notes: count('note'),
    prompts: count('prompt'),
    components: count('component'),
    links: count('link'),
  }
}

function showSnapshot(view: SnapshotView): readonly Block[] {
  const folder = line`${own(counted(view.file_count, 'file'))} in ${view.output_dir}`
  if (!view.changed) return [line`up to date: ${folder}`]
  return [
    ...view.files_generated.map((path) => line`  ${path}`),
    ...view.files_removed.map((path) => line`- ${path}`),
    line`${own(view.dry_run ? 'would be written' : 'written')}: ${folder}`,
  ]
}
