import * as z from 'zod'
import { PROVENANCE_OPERATIONS } from '../record.ts'
import { defineOperation } from '../../core/operation.ts'
import { oneLine } from '../../core/input/schema.ts'
import { type Block, joined, type Line, line, paragraphs, section } from '../../core/show.ts'
import { shortCommit } from '../show.ts'
import type { AnnotationRow } from '../store.ts'
import { change, uncancellable } from '../../core/change.ts'
import { type Carried, type Carry, carryOver } from './carry-over.ts'
import { findSuccessors, MATCHES, type Successor } from './find-successors.ts'
import { type Code, openAnnotatedCode, resolveCommit } from '../write/open-code.ts'
import { type Standing, standingOf } from './verify.ts'
import { type CommitId, toCommitId } from '../../git/history/commit-id.ts'

const carriedView = z.object({
  record: z.string(),
  from: z.string(),
  to: z.string(),
  operation: z.enum(PROVENANCE_OPERATIONS),
})
type CarriedView = z.output<typeof carriedView>

const repairView = z.object({
  $schema: z.literal('waymark-repair/v1'),
  dry_run: z.boolean(),
  carried: z.array(carriedView.extend({ how: z.enum(MATCHES) })),
  ambiguous: z
    .array(z.object({ record: z.string(), commit: z.string(), candidates: z.array(z.string()) }))
    .describe('More than one commit fits, so none was chosen'),
  unmatched: z
    .array(z.object({ record: z.string(), commit: z.string(), files: z.array(z.string()) }))
    .describe('Nothing in this history comes from these'),
})
type RepairView = z.output<typeof repairView>

export const repairAnnotations = defineOperation({
  name: 'code.repair',
  summary: 'Copy annotations of rebased, squashed and cherry-picked commits to their replacements',
  example: '--dry-run',
  effect: 'write',
  input: z.object({
    dry_run: z.boolean().default(false).describe('Only print what would be done'),
  }),
  output: repairView,
  async run(context, { dry_run }) {
    const code = await openAnnotatedCode(context)
    const { annotations } = code
    const standing = await standingOf(code, await annotations.commits(code.settings.readRefs))
    const lost = await lostRows(code, standing)
    const successors = await findSuccessors(context, code, lost, standing)
    const report = sort(lost, successors, standing)
    const carries = report.carried.map(({ record, from, to, operation }): Carry => {
      return { from: toCommitId(from), to: toCommitId(to), operation, records: new Set([record]) }
    })
    if (!dry_run) await carryOver(context, code, carries)
    return await change(uncancellable(context), async (change) => {
      if (!dry_run && carries.length > 0) {
        await change.announce('annotation.carried', code.head?.id ?? '', { count: carries.length })
      }
      return { $schema: 'waymark-repair/v1' as const, dry_run, ...report }
    })
  },
  show: showRepair,
})

/** Annotations of commits that are not in the checked out history, unless a commit that is there has them too. */
async function lostRows(
  { settings, annotations }: Code,
  standing: ReadonlyMap<CommitId, Standing>,
): Promise<readonly AnnotationRow[]> {
  const here = [...standing.keys()].filter((commit) => standing.get(commit) === 'here')
  const away = [...standing.keys()].filter((commit) => standing.get(commit) !== 'here')
  const settled = await annotations.ofCommits(settings.readRefs, here)
  const known = new Set(settled.map(({ record }) => record.id))
  const rows = await annotations.ofCommits(settings.readRefs, away)
  return rows.filter(({ record }) => !known.has(record.id))
}

type Report = Omit<RepairView, '$schema' | 'dry_run'>

function sort(
  lost: readonly AnnotationRow[],
  successors: ReadonlyMap<CommitId, Successor>,
  standing: ReadonlyMap<CommitId, Standing>,
): Report {
  const report: Report = { carried: [], ambiguous: [], unmatched: [] }
  for (const { commit, record } of lost) {
    const found = successors.get(commit)
    if (found !== undefined && 'to' in found) {
      report.carried.push({ record: record.id, from: commit, ...found })
    } else if (found !== undefined) {
      report.ambiguous.push({ record: record.id, commit, candidates: [...found.candidates] })
    } else if (standing.get(commit) !== 'elsewhere') {
      // Annotations of another existing branch are not lost.
      const files = [...new Set(record.regions.map(({ file }) => file))]
      report.unmatched.push({ record: record.id, commit, files })
    }
  }
  return report
}

function showRepair({ dry_run, carried, ambiguous, unmatched }: RepairView): readonly Block[] {
  const told = paragraphs([
    section(
      dry_run ? 'Would be carried over' : 'Carried over',
      carried.map((one) => line`- ${showMove(one)} (${one.operation}, by ${one.how})`),
    ),
    section(
      'Ambiguous, nothing chosen',
      ambiguous.map(
        ({ commit, candidates }) =>
          line`- ${shortCommit(commit)}: ${candidates.length} commits fit`,
      ),
    ),
    section(
      'Nothing in this history comes from',
      unmatched.map(({ commit, files }) => line`- ${shortCommit(commit)}: ${joined(files)}`),
    ),
  ])
  return told.length === 0 ? [line`nothing is lost`] : told
}

function showMove({ from, to }: CarriedView): Line {
  return line`${shortCommit(from)} → ${shortCommit(to)}`
}

export const carryAnnotations = defineOperation({
  name: 'code.carry',
  summary:
    'Copy annotations to a commit from the commits it was made of, such as after a squash on a server',
  example: 'HEAD --from 1a2b3c4 --operation squash',
  effect: 'write',
  input: z.object({
    to: oneLine({ max: 200 }).describe('Commit that took their place'),
    from: z
      .array(oneLine({ max: 200 }))
      .min(1)
      .max(500)
      .describe('Commits that it was made of'),
    operation: z
      .enum(PROVENANCE_OPERATIONS)
      .exclude(['initial'])
      .default('squash')
      .describe('How it was made of them'),
  }),
  output: z.object({ carried: z.array(carriedView) }),
  positional: ['to'],
  async run(context, { to: given, from, operation }) {
    const code = await openAnnotatedCode(context)
    const to = await resolveCommit(code.repository, given, 'to')
    const carries = await Promise.all(
      from.map(async (each): Promise<Carry> => {
        return { from: await resolveCommit(code.repository, each, 'from'), to, operation }
      }),
    )
    const carried: readonly Carried[] = await carryOver(context, code, carries)
    return await change(uncancellable(context), async (change) => {
      await change.announce('annotation.carried', to, { count: carried.length })
      return { carried: [...carried] }
    })
  },
  show: showCarried,
})

function showCarried({ carried }: { readonly carried: readonly CarriedView[] }): readonly Block[] {
  if (carried.length === 0) return [line`nothing to copy`]
  const lines = carried.map((one) => line`- ${showMove(one)} (${one.operation})`)
  return section('Carried over', lines)
}
