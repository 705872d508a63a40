import { invalidParams } from '@waymark/baton'
import type { Server } from '@waymark/baton'
import type { Connection, DetailedIdentity } from '../store/device.ts'
import type { Studio } from '../studio.ts'
import { describeDevices, describeRecent, findDevice, toPrompt } from './live-context.ts'
import { suggestTransport } from './suggest-transport.ts'

/** Prompts about the devices. */
export function addStudioPrompts(server: Server, studio: Studio): void {
  const { graph } = studio

  server.prompt({
    name: 'describe-setup',
    description: 'Document the current studio setup',
    arguments: [{ name: 'format', description: 'markdown or json', required: false }],
    render({ format = 'markdown' }) {
      if (format !== 'markdown' && format !== 'json')
        throw invalidParams('format must be markdown or json')
      const cables = graph.connections()
      return toPrompt(
        `Studio setup as ${format}`,
        `Document this studio as ${format}: what each device is for and how the signal flows.`,
        describeDevices(studio),
        cables.length === 0 ? 'There are no cables.' : describeCables(cables),
        describeRecent(studio),
      )
    },
  })

  server.prompt({
    name: 'patch-synth',
    description: 'Generate a synth patch description',
    arguments: [
      { name: 'synth_id', description: 'Identity of the synthesiser', required: true },
      { name: 'style', description: 'Musical style', required: true },
      { name: 'character', description: 'How it should sound', required: false },
    ],
    render({ synth_id = '', style = '', character = 'warm' }) {
      const synth = findDevice(studio, 'synth_id', synth_id)
      return toPrompt(
        `${character} ${style} patch for ${synth.name}`,
        `Describe a ${character} patch for ${style} on this synthesiser: oscillators, filter, envelopes, effects, and ` +
          'which controls to play.',
        describeDevice(synth),
      )
    },
  })

  server.prompt({
    name: 'connect-devices',
    description: 'Suggest how to connect two devices',
    arguments: [
      { name: 'from_id', description: 'Identity that sends', required: true },
      { name: 'to_id', description: 'Identity that receives', required: true },
    ],
    render({ from_id = '', to_id = '' }) {
      const from = findDevice(studio, 'from_id', from_id)
      const to = findDevice(studio, 'to_id', to_id)
      const cables = graph.connectionsBetween(from_id, to_id)
      const { transport, reason } = suggestTransport(from, to)
      return toPrompt(
        `Connect ${from.name} to ${to.name}`,
        `Suggest how to connect ${from.name} to ${to.name}: ports, cable, and settings on both sides.`,
        `From:\n${describeDevice(from)}`,
        `To:\n${describeDevice(to)}`,
        cables.length === 0
          ? 'They are not connected yet.'
          : `Already there:\n${describeCables(cables)}`,
        `A first guess is ${transport}: ${reason}. graph_connect notes the cable once it is plugged in.`,
      )
    },
  })
}

function describeDevice({ id, name, tags, hints }: DetailedIdentity): string {
  const lines = [
    `- ${name} (${id})`,
    ...tags.map((tag) => `  - tag ${tag}`),
    ...hints.map(
      ({ kind, value, confidence }) => `  - ${kind} ${value} (confidence ${confidence})`,
    ),
  ]
  return lines.join('\n')
}

function describeCables(cables: readonly Connection[]): string {
  const lines = cables.map(
    ({ from, to, transport }) => `- ${from} → ${to} (${transport ?? 'unknown'})`,
  )
  return `Cables (${cables.length}):\n${lines.join('\n')}`
}
