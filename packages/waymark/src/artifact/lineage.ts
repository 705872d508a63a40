import * as z from 'zod'
import { defineOperation } from '../core/operation.ts'
import { artifactReference, findArtifact } from './find.ts'
import { artifactView, toArtifactView } from './view.ts'
import { showLineage, showStats } from './show.ts'

const MOST_RELATIVES = 200
const MOST_GROUPS = 50

const lineageView = z.object({
  artifact_id: z.string(),
  depth: z.int().describe('How many artifacts lie behind it'),
  chain: z.array(artifactView).describe('From the first origin to the artifact itself'),
  children: z.array(artifactView).describe('What was made from it, newest first'),
  variations: z.array(artifactView).describe('The others of its set, newest first'),
})
export type ArtifactLineage = z.output<typeof lineageView>

export const artifactLineage = defineOperation({
  name: 'artifact.lineage',
  summary: 'Show what an artifact was made from, what was made from it, and its variations',
  example: '0199c4e2',
  effect: 'read',
  input: z.object({ id: artifactReference }),
  output: lineageView,
  positional: ['id'],
  async run({ store }, { id }) {
    const { artifacts } = store
    const artifact = await findArtifact(artifacts, id)
    const chain = await artifacts.ancestors(artifact.id)
    const page = { limit: MOST_RELATIVES, offset: 0 }
    const children = await artifacts.list({ parentId: artifact.id, ...page })
    const { variationSet } = artifact
    const set = variationSet === null ? undefined : await artifacts.list({ variationSet, ...page })
    const others = set?.artifacts.filter((other) => other.id !== artifact.id) ?? []
    return {
      artifact_id: artifact.id,
      depth: chain.length - 1,
      chain: chain.map(toArtifactView),
      children: children.artifacts.map(toArtifactView),
      variations: others.map(toArtifactView),
    }
  },
  show: showLineage,
})

const counts = z.record(z.string(), z.int())

const statsView = z.object({
  total: z.int(),
  contents: z.int().describe('Different contents'),
  bytes: z.int().describe('What these take up'),
  variation_sets: z.int(),
  by_type: counts,
  by_tag: counts,
  by_creator: counts,
})
export type ArtifactStats = z.output<typeof statsView>

export const artifactStats = defineOperation({
  name: 'artifact.stats',
  summary: 'Count artifacts by type, tag and creator, with their total size',
  example: '',
  effect: 'read',
  input: z.object({}),
  output: statsView,
  async run({ store: { artifacts } }) {
    const { artifacts: total, contents, bytes, variationSets } = await artifacts.totals()
    const countBy = async (what: 'tag' | 'mime' | 'creator') =>
      Object.fromEntries(
        (await artifacts.countBy(what, MOST_GROUPS)).map(({ name, count }) => [name, count]),
      )
    return {
      total,
      contents,
      bytes,
      variation_sets: variationSets,
      by_type: await countBy('mime'),
      by_tag: await countBy('tag'),
      by_creator: await countBy('creator'),
    }
  },
  show: showStats,
})
