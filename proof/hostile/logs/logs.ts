import { createRandom } from '../../../packages/baton/test/support/random.ts'
import type { Findings, Proof, Trial } from '../../proof.ts'
import { Attacker } from './attacker.ts'
import { SOURCE_FAULTS } from './faults.ts'
import { createGround } from './ground.ts'
import { Team } from './team.ts'

/** Hostile lines and notes of one round, and how many rounds there are. */
const SIZES = {
  short: { rounds: 1, lines: 90, notes: 15, withGiants: false },
  full: { rounds: 2, lines: 2_100, notes: 420, withGiants: true },
}

/** An attacker with push access writes to the remote that two honest clones go on working with. */
export const hostileLogs: Proof = {
  id: 'hostile-logs',
  promise:
    'Hostile lines and notes in a remote make no clone crash, lose anything or stop synchronising, and take less than 512 MB',
  unit: 'hostile lines and notes',
  goal: 10_000,
  faults: Object.keys(SOURCE_FAULTS),
  run: tryLogs,
}

async function tryLogs({ seed, level, fault }: Trial): Promise<Findings> {
  const { rounds, ...size } = SIZES[level]
  using ground = await createGround()
  const attacker = new Attacker(ground, createRandom(seed))
  // A planted mistake shows in one clone as well.
  const team = await Team.create(ground, fault === undefined ? ['bob'] : [], fault)
  for (let round = 1; round <= rounds && !team.hasFailed; round += 1) {
    team.expectReported(attacker.strike(size))
    await team.work()
    if (fault === undefined) await team.agree()
  }
  if (level === 'full' && fault === undefined && !team.hasFailed) await team.join('fresh')
  return { tried: attacker.struck, ...team.findings() }
}
