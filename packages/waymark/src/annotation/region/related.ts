import { isSameAnchor } from '../anchor.ts'
import { confidenceOf } from '../confidence.ts'
import { type Region, type RelatedAnnotation, splitPlace } from '../record.ts'
import type { AnnotationRow } from '../store.ts'
import type { Code } from '../write/open-code.ts'
import { type CommitId, toCommitId } from '../../git/history/commit-id.ts'
import { commitNamed } from '../../git/history/commits.ts'

export interface Related {
  readonly commit: CommitId
  readonly anchor: string
  readonly relationship: string
  readonly confidence: number
  readonly intent: string
  /** How many links away it is. */
  readonly hop: number
}

interface Step {
  readonly link: RelatedAnnotation
  readonly hop: number
}

/** What a region's annotation refers to, and what that refers to, up to `depth` links away; each only once. */
export async function followRelated(
  code: Code,
  region: Region,
  depth: number,
): Promise<readonly Related[]> {
  const found: Related[] = []
  const visited = new Set<string>()
  let steps: readonly Step[] = depth < 1 ? [] : toSteps(region, 1)
  while (steps.length > 0) {
    const next: Step[] = []
    for (const { link, hop } of steps) {
      const target = await findTarget(code, link)
      if (target === undefined) continue
      const key = `${target.row.commit} ${link.anchor}`
      if (visited.has(key)) continue
      visited.add(key)
      found.push(await toRelated(code, target, link, hop))
      if (hop < depth) next.push(...toSteps(target.region, hop + 1))
    }
    steps = next
  }
  return found
}

function toSteps(region: Region, hop: number): readonly Step[] {
  return region.related_annotations.map((link) => ({ link, hop }))
}

interface Target {
  readonly row: AnnotationRow
  readonly region: Region
}

async function findTarget(
  { repository, settings, annotations }: Code,
  { commit, anchor }: RelatedAnnotation,
): Promise<Target | undefined> {
  if (!/^[0-9a-f]{4,64}$/i.test(commit)) return undefined
  const id = (await commitNamed(repository.objects, commit)) ?? toCommitId(commit)
  const rows = await annotations.ofCommits(settings.readRefs, [id])
  const [file, name] = splitPlace(anchor)
  for (const row of rows) {
    const region = row.record.regions.find(
      (each) =>
        each.file === file &&
        (name === undefined || isSameAnchor(name, each.ast_anchor?.name ?? '')),
    )
    if (region !== undefined) return { row, region }
  }
  return undefined
}

async function toRelated(
  { repository, head, settings }: Code,
  { row, region }: Target,
  { anchor, relationship }: RelatedAnnotation,
  hop: number,
): Promise<Related> {
  const commit = await repository.commits.get(row.commit)
  const { confidence } = confidenceOf(
    {
      ageMs: (head?.at ?? 0) - (commit?.at ?? 0),
      contextLevel: row.record.context_level,
      fit: 'same',
      operation: row.record.provenance.operation,
      corrections: region.corrections,
      trust: 1,
    },
    settings,
  )
  return { commit: row.commit, anchor, relationship, confidence, intent: region.intent, hop }
}
