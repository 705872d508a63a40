/** What tells a device from others when it is plugged in again. */
export const HINT_KINDS = [
  'usb_device_id',
  'usb_serial',
  'usb_path',
  'midi_name',
  'alsa_card',
  'alsa_hw',
  'pipewire_name',
  'pipewire_alsa_path',
] as const

/** One thing to recognise a device by. */
export interface Hint {
  readonly kind: (typeof HINT_KINDS)[number]
  readonly value: string
  /** From 0 to 1. */
  readonly confidence: number
}

/** A device of the studio. */
export interface Identity {
  readonly id: string
  readonly name: string
  /** As `namespace:value`. */
  readonly tags: readonly string[]
}

/** A device with what it is recognised by. */
export interface DetailedIdentity extends Identity {
  readonly created_at: number
  readonly hints: readonly Hint[]
}

/** A cable; its ends are written `identity:port`. */
export interface Connection {
  readonly id: string
  readonly from: string
  readonly to: string
  readonly transport: string | null
}

/** A cable that is to be noted. */
export interface NewConnection {
  readonly fromIdentity: string
  readonly fromPort: string
  readonly toIdentity: string
  readonly toPort: string
  readonly transport?: string | undefined
}

/** A line of the changelog. */
export interface GraphChange {
  readonly timestamp: number
  readonly operation: string
  readonly target_kind: string
  readonly target_id: string
  readonly details: unknown
}
