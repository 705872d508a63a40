import type { Server } from '@waymark/baton'
import * as z from 'zod'
import { StudioError } from '../error.ts'
import { HINT_KINDS } from '../store/device.ts'
import type { Studio } from '../studio.ts'
import { Text } from './fields.ts'

const Hint = z.object({
  kind: z.enum(HINT_KINDS),
  value: Text,
  confidence: z.number().min(0).max(1).default(1),
})

const Tags = z.array(z.string())

/** What devices there are and how they are wired. */
export function addGraphTools(server: Server, { graph }: Studio): void {
  const tell = (...uris: readonly string[]): void => {
    for (const uri of [...uris, 'graph://changelog']) server.notify.resourceUpdated(uri)
  }

  server.tool({
    name: 'graph_bind',
    description: 'Registers an audio device under an id, or renames it and adds hints',
    inputSchema: z.strictObject({
      // A colon separates a device from its port wherever a cable is named.
      id: Text.regex(/^[\w.-]+$/, 'must consist of letters, digits, dots, dashes and underscores'),
      name: Text,
      hints: z.array(Hint).max(50).default([]).describe('What the device is recognised by'),
    }),
    outputSchema: z.object({ id: z.string(), name: z.string(), created_at: z.number() }),
    annotations: { idempotentHint: true },
    run({ id, name, hints }) {
      const { identity, losers } = graph.bind(id, name, hints)
      tell('graph://identities', ...[id, ...losers].map((one) => `graph://identity/${one}`))
      return { structuredContent: { id, name, created_at: identity.created_at } }
    },
  })

  server.tool({
    name: 'graph_tag',
    description: 'Tags a device, for example role:synth',
    inputSchema: z.strictObject({ identity_id: Text, namespace: Text, value: Text }),
    outputSchema: z.object({ tags: Tags }),
    annotations: { idempotentHint: true },
    run({ identity_id, namespace, value }) {
      const tags = graph.tag(identity_id, namespace, value)
      tell('graph://identities', `graph://identity/${identity_id}`)
      return { structuredContent: { tags } }
    },
  })

  server.tool({
    name: 'graph_connect',
    description: 'Notes a cable from a port of one device to a port of another',
    inputSchema: z.strictObject({
      from_identity: Text,
      from_port: Text,
      to_identity: Text,
      to_port: Text,
      transport: Text.optional().describe('din_midi, usb_midi, patch_cable_cv …'),
    }),
    outputSchema: z.object({
      id: z.string(),
      from: z.string(),
      to: z.string(),
      transport: z.string().nullable(),
    }),
    run({ from_identity, from_port, to_identity, to_port, transport }) {
      const connection = graph.connect({
        fromIdentity: from_identity,
        fromPort: from_port,
        toIdentity: to_identity,
        toPort: to_port,
        transport,
      })
      tell('graph://connections')
      return { structuredContent: { ...connection } }
    },
  })

  server.tool({
    name: 'graph_find',
    description: 'Finds devices by a part of their name and by a tag, sorted by name',
    inputSchema: z.strictObject({
      name: Text.optional(),
      tag_namespace: Text.optional().describe('Needs tag_value'),
      tag_value: Text.optional().describe('Needs tag_namespace'),
    }),
    outputSchema: z.object({
      identities: z.array(z.object({ id: z.string(), name: z.string(), tags: Tags })),
    }),
    annotations: { readOnlyHint: true },
    run({ name, tag_namespace, tag_value }) {
      if ((tag_namespace === undefined) !== (tag_value === undefined))
        throw new StudioError('tag_namespace and tag_value belong together; give both or neither')
      const tag = tag_namespace === undefined ? undefined : `${tag_namespace}:${tag_value}`
      return { structuredContent: { identities: graph.find({ name, tag }) } }
    },
  })
}
