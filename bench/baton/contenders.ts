import type { Wire } from './wire.ts'

export type Transport = 'stdio' | 'http'

/** One server on one transport, spoken to on one wire. */
export interface Contender {
  readonly name: string
  readonly transport: Transport
  readonly wire: Wire
  /** The file in `servers` that it is started with. */
  readonly entry: string
  /** Which of the compiled batons it uses, if it does. */
  readonly build?: number
  /** What its cold start may cost, as a multiple of the floor's. */
  readonly coldStartBar?: number
  /** What a call may cost, as a multiple of the floor's. */
  readonly callBar?: number
  /** True for a server that only exists to be started. */
  readonly isOnlyStarted?: boolean
  /** True for a server that is bundled with its packages, as many are when they are published. */
  readonly isBundled?: boolean
}

export const FLOOR = 'floor'

const TRANSPORTS = ['stdio', 'http'] as const
const WIRES = ['legacy', '2026'] as const

/** All contenders, for this many builds of baton. */
export function listContenders(builds: number): readonly Contender[] {
  const installed = listInstalled(builds)
  const bundled = installed
    .filter(({ name, wire }) => !name.startsWith(FLOOR) && wire === 'legacy')
    .map((contender) => ({
      ...contender,
      name: `${contender.name}, bundled`,
      isOnlyStarted: true,
      isBundled: true,
    }))
  return [...installed, ...bundled]
}

function listInstalled(builds: number): readonly Contender[] {
  return TRANSPORTS.flatMap((transport) => [
    ...WIRES.flatMap((wire) => [
      { name: FLOOR, transport, wire, entry: `floor-${transport}` },
      {
        name: 'floor, with zod',
        transport,
        wire,
        entry: `floor-zod-${transport}`,
        isOnlyStarted: true,
      },
      ...Array.from({ length: builds }, (_, build) => toBatons(transport, wire, build)).flat(),
    ]),
    { name: 'SDK 1.x', transport, wire: 'legacy', entry: `sdk1-${transport}` },
    { name: 'SDK 2.x', transport, wire: 'legacy', entry: `sdk2-${transport}` },
    {
      name: 'SDK 2.x',
      transport,
      wire: '2026',
      entry: transport === 'http' ? 'sdk2-modern-http' : 'sdk2-stdio',
    },
  ])
}

function toBatons(transport: Transport, wire: Wire, build: number): readonly Contender[] {
  const suffix = build === 0 ? '' : ` #${build + 1}`
  return [
    {
      name: `baton${suffix}`,
      transport,
      wire,
      entry: `baton-${transport}`,
      build,
      callBar: 2,
      coldStartBar: 2,
    },
    {
      name: `baton, zod as installed${suffix}`,
      transport,
      wire,
      entry: `baton-installed-${transport}`,
      build,
      isOnlyStarted: true,
    },
    {
      name: `baton, zod on first need${suffix}`,
      transport,
      wire,
      entry: `baton-lazy-${transport}`,
      build,
      coldStartBar: 2,
      isOnlyStarted: true,
    },
    {
      name: `baton, no schema library${suffix}`,
      transport,
      wire,
      entry: `baton-plain-${transport}`,
      build,
      coldStartBar: 1.3,
      isOnlyStarted: true,
    },
  ]
}

export function toLabel({ transport, name, wire }: Contender): string {
  return `${transport} ${name} ${wire}`
}

/** Tells whether the second contender is the floor that the first is measured by. */
export function isFloorOf(contender: Contender, other: Contender): boolean {
  return (
    other.name === FLOOR && other.transport === contender.transport && other.wire === contender.wire
  )
}
