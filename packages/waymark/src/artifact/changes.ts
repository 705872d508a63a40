import * as z from 'zod'
import { tags } from '../entity/entity.ts'
import { defineOperation } from '../core/operation.ts'
import { violation } from '../core/input/parse.ts'
import { change } from '../core/change.ts'
import { artifactReference, findArtifact } from './find.ts'
import { findLink, linkText } from './links.ts'
import { toArtifactDocument } from './search-document.ts'
import { artifactView, linkedArtifactView, toArtifactView, toLinkedView } from './view.ts'
import { showArtifactView } from './show.ts'

const MOST_TAGS = 50

export const tagArtifact = defineOperation({
  name: 'artifact.tag',
  summary: 'Add and remove tags of an artifact',
  example: '0199c4e2 --add reviewed --remove draft',
  effect: 'write',
  input: z.object({
    id: artifactReference,
    add: tags.default([]).describe('Tags to add'),
    remove: tags.default([]).describe('Tags to take away'),
  }),
  output: artifactView,
  positional: ['id'],
  async run(context, { id, add, remove }) {
    return await change(context, async (change) => {
      const artifact = await findArtifact(change.artifacts, id)
      const kept = artifact.tags.filter((tag) => !remove.includes(tag))
      const changed = { ...artifact, tags: [...new Set([...kept, ...add])].toSorted() }
      if (changed.tags.length > MOST_TAGS) {
        throw violation('add', 'too_many', `an artifact has at most ${MOST_TAGS} tags`)
      }
      await change.artifacts.setTags(artifact.id, changed.tags)
      await change.search.put(toArtifactDocument(changed))
      // Both, so that lists by a tag that is gone are known to have changed too.
      const named = { tags: [...new Set([...artifact.tags, ...changed.tags])] }
      await change.announce('artifact.tagged', artifact.id, { hash: artifact.hash, ...named })
      return toArtifactView(changed)
    })
  },
  show: showArtifactView,
})

export const linkArtifact = defineOperation({
  name: 'artifact.link',
  summary: 'Link an artifact to a task or another entity, or end a link',
  example: '0199c4e2 12',
  effect: 'write',
  input: z.object({
    id: artifactReference,
    to: linkText,
    remove: z.boolean().default(false).describe('End the link instead'),
  }),
  output: linkedArtifactView.extend({ changed: z.boolean() }),
  positional: ['id', 'to'],
  async run(context, { id, to, remove }) {
    return await change(context, async (change) => {
      const artifact = await findArtifact(change.artifacts, id)
      const found = await findLink(change.entities, to, 'to')
      const link = { artifactId: artifact.id, type: found.type, entityId: found.entity.id }
      const changed = remove
        ? await change.artifacts.unlink(link)
        : await change.artifacts.link(link, change.stamp.at)
      if (changed) {
        await change.announce(remove ? 'artifact.unlinked' : 'artifact.linked', artifact.id, {
          hash: artifact.hash,
          type: link.type,
          target: link.entityId,
        })
      }
      return { ...(await toLinkedView(change, artifact)), changed }
    })
  },
  show: showArtifactView,
})

export const removeArtifact = defineOperation({
  name: 'artifact.remove',
  summary: 'Remove an artifact; artifact gc deletes its content once unreferenced',
  example: '0199c4e2',
  effect: 'delete',
  input: z.object({ id: artifactReference }),
  output: artifactView,
  positional: ['id'],
  async run(context, { id }) {
    return await change(context, async (change) => {
      const artifact = await findArtifact(change.artifacts, id)
      await change.artifacts.remove(artifact.id, change.stamp.at)
      await change.search.remove('artifact', artifact.id)
      const { hash, tags } = artifact
      await change.announce('artifact.removed', artifact.id, { hash, tags })
      return toArtifactView({ ...artifact, removedAt: change.stamp.at })
    })
  },
  show: showArtifactView,
})
