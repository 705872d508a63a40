import type { DetailedIdentity } from '../store/device.ts'
import { rolesOf } from './live-context.ts'

interface Suggestion {
  readonly transport: string
  readonly reason: string
}

const VOLTAGE_ROLES = ['modular', 'eurorack', 'cv']
const AUDIO_ROLES = ['mixer', 'interface', 'effect', 'recorder']

/** A likely way to connect two devices, by what is known of them. */
export function suggestTransport(from: DetailedIdentity, to: DetailedIdentity): Suggestion {
  const both = (has: (device: DetailedIdentity) => boolean): boolean => has(from) && has(to)
  if (both((device) => hasRole(device, VOLTAGE_ROLES)))
    return { transport: 'patch_cable_cv', reason: 'both are controlled by voltage' }
  if (hasRole(to, AUDIO_ROLES))
    return { transport: 'audio', reason: `${to.name} takes sound, not notes` }
  if (both(hasUsb)) return { transport: 'usb_midi', reason: 'both are known by a USB hint' }
  return { transport: 'din_midi', reason: 'every device that plays notes has it' }
}

function hasRole(device: DetailedIdentity, roles: readonly string[]): boolean {
  return rolesOf(device).some((role) => roles.includes(role))
}

function hasUsb({ hints }: DetailedIdentity): boolean {
  return hints.some(({ kind }) => kind.startsWith('usb_'))
}
