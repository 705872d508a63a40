import * as z from 'zod'
import { tags } from '../entity/entity.ts'
import { reference } from '../entity/reference.ts'
import { defineOperation } from '../core/operation.ts'
import { body, oneLine } from '../core/input/schema.ts'
import { findEntity } from '../entity/find-entity.ts'
import { artifactReference, findArtifact } from './find.ts'
import { addLinks, findLinks, linkText } from './links.ts'
import { receiveContent } from './content/receive.ts'
import { toArtifactDocument } from './search-document.ts'
import { sourceOf } from './source.ts'
import { artifactView, linkedArtifactView, toArtifactView, toLinkedView } from './view.ts'
import { showArtifacts, showArtifactView } from './show.ts'

const MOST_TEXT = 8 * 1024 * 1024

const name = oneLine({ max: 200 })
const variationSet = oneLine({ max: 100 })
const creator = oneLine({ max: 100 })

export const addArtifact = defineOperation({
  name: 'artifact.add',
  summary: 'Store a file, log, report or picture',
  example: 'build/report.html --tag report',
  effect: 'write',
  input: z.object({
    path: z.string().min(1).max(4096).optional().describe('File; - reads standard input'),
    text: body({ max: MOST_TEXT }).optional().describe('The content itself, if it is text'),
    base64: z
      .string()
      .max(MOST_TEXT * 2)
      .optional()
      .describe('The content itself, if it is not text'),
    name: name.optional().describe('What to call it; the file’s name if there is one'),
    tags: tags.default([]).describe('Words to find it by'),
    links: z.array(linkText).max(50).default([]).describe('Tasks and entities: id or type:id'),
    parent: artifactReference.optional().describe('The artifact it was made from'),
    variation_set: variationSet.optional().describe('Name of a set of attempts it is one of'),
    sha256: z.string().optional().describe('Refuse the content if it has another hash'),
  }),
  output: linkedArtifactView,
  positional: ['path'],
  async run(context, { path, text, base64, sha256, ...facts }) {
    const { store } = context
    const found = sourceOf(context, { path, text, base64 })
    const parent = facts.parent
    // Looked for before anything is received, and once more when it counts.
    const check = async (nouns: Pick<typeof store, 'artifacts' | 'entities'>) => ({
      parentId:
        parent === undefined ? null : (await findArtifact(nouns.artifacts, parent, 'parent')).id,
      links: await findLinks(nouns.entities, facts.links),
    })
    await check(store)
    const called = facts.name ?? found.name?.slice(0, 200)
    const options = {
      ...(called !== undefined && { name: called }),
      ...(context.body?.size !== undefined && { expectedSize: context.body.size }),
      ...(sha256 !== undefined && { expectedHash: sha256.trim().toLowerCase() }),
    }
    return await receiveContent(context, found.source, options, async (change, content) => {
      const { parentId, links } = await check(change)
      const artifact = await change.artifacts.insert({
        id: context.newId(),
        hash: content.hash,
        size: content.size,
        mime: content.mime,
        name: called ?? null,
        creator: change.stamp.by,
        tags: facts.tags,
        parentId,
        variationSet: facts.variation_set ?? null,
        createdAt: change.stamp.at,
      })
      await addLinks(change, artifact.id, links)
      await change.search.put(toArtifactDocument(artifact))
      const { id, hash, size, mime } = artifact
      await change.announce('artifact.added', id, { hash, size, mime, tags: artifact.tags })
      return await toLinkedView(change, artifact)
    })
  },
  show: showArtifactView,
})

export const showArtifact = defineOperation({
  name: 'artifact.show',
  summary: 'Show an artifact with its metadata and links',
  example: '0199c4e2',
  effect: 'read',
  input: z.object({ id: artifactReference }),
  output: linkedArtifactView,
  positional: ['id'],
  async run({ store }, { id }) {
    return await toLinkedView(store, await findArtifact(store.artifacts, id))
  },
  show: showArtifactView,
})

export const listArtifacts = defineOperation({
  name: 'artifact.list',
  summary: 'List artifacts, newest first',
  example: '--tag report',
  effect: 'read',
  input: z.object({
    tag: oneLine({ max: 100 }).optional().describe('Only with this tag'),
    creator: creator.optional().describe('Only by this one'),
    link: reference.optional().describe('Only of this task or entity'),
    parent: artifactReference.optional().describe('Only made from this artifact'),
    variation_set: variationSet.optional().describe('Only of this set of attempts'),
    limit: z.int().min(1).max(200).default(50).describe('How many at most'),
    offset: z.int().min(0).default(0).describe('How many to skip'),
  }),
  output: z.object({
    artifacts: z.array(artifactView),
    total: z.int(),
    limit: z.int(),
    offset: z.int(),
  }),
  async run({ store }, { tag, creator, link, parent, variation_set, limit, offset }) {
    const { artifacts, total } = await store.artifacts.list({
      tag,
      creator,
      entityId:
        link === undefined ? undefined : (await findEntity(store.entities, link, 'link')).id,
      parentId:
        parent === undefined
          ? undefined
          : (await findArtifact(store.artifacts, parent, 'parent')).id,
      variationSet: variation_set,
      limit,
      offset,
    })
    return { artifacts: artifacts.map(toArtifactView), total, limit, offset }
  },
  show: showArtifacts,
})
