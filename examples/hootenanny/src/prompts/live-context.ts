import { invalidParams } from '@waymark/baton'
import type { GetPromptResult } from '@waymark/baton'
import { StudioError } from '../error.ts'
import type { DetailedIdentity, Identity } from '../store/device.ts'
import type { Studio } from '../studio.ts'

const RECENT_SHOWN = 3

/** A prompt of one message. */
export function toPrompt(description: string, ...paragraphs: readonly string[]): GetPromptResult {
  const text = paragraphs.filter((paragraph) => paragraph !== '').join('\n\n')
  return { description, messages: [{ role: 'user', content: { type: 'text', text } }] }
}

/** The devices in one sentence: `The studio has: Roland JD-Xi (synth), …`. */
export function describeDevices({ graph }: Studio): string {
  const devices = graph.find()
  if (devices.length === 0) return 'No devices are registered yet; graph_bind registers one.'
  return `The studio has: ${devices.map(nameWithRole).join(', ')}.`
}

/** What was made last, so that it can be taken up. */
export function describeRecent({ artifacts }: Studio): string {
  const recent = artifacts.recent().slice(0, RECENT_SHOWN)
  if (recent.length === 0) return ''
  const lines = recent.map(({ id, hash, tags }) => `- ${id} (cas://${hash}) ${tags.join(' ')}`)
  return `Made recently:\n${lines.join('\n')}`
}

/** A device by its id; a prompt about one that is not there would only mislead. */
export function findDevice({ graph }: Studio, argument: string, id: string): DetailedIdentity {
  try {
    return graph.identity(id)
  } catch (error) {
    throw error instanceof StudioError ? invalidParams(`${argument}: ${error.message}`) : error
  }
}

/** What a device is for, by its tag `role:`. */
export function rolesOf({ tags }: Identity): string[] {
  return tags.filter((tag) => tag.startsWith('role:')).map((tag) => tag.slice('role:'.length))
}

function nameWithRole(device: Identity): string {
  const roles = rolesOf(device)
  return roles.length === 0 ? device.name : `${device.name} (${roles.join(', ')})`
}

/** An argument that must be a number; prompts get all of theirs as text. */
export function parseNumber(
  name: string,
  text: string,
  { min, max }: { readonly min: number; readonly max: number },
): number {
  const value = Number(text)
  if (text.trim() !== '' && value >= min && value <= max) return value
  throw invalidParams(`${name} must be a number from ${min} to ${max}`)
}
