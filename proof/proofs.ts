import { leases, wrongClocks } from './concurrency/leases/leases.ts'
import { cloneClaims } from './concurrency/clones/clones.ts'
import { housekeeping } from './concurrency/housekeeping/housekeeping.ts'
import { damage } from './durability/damage.ts'
import { diskErrors } from './durability/disk-errors.ts'
import { fileCuts } from './durability/file-cuts.ts'
import { flushedFirst } from './durability/flushed-first.ts'
import { kills } from './durability/kills.ts'
import { lostAnswers } from './durability/lost-answers.ts'
import { manyServers } from './durability/many-servers.ts'
import { powerCuts } from './durability/power-cuts.ts'
import { rebuild } from './durability/rebuild.ts'
import { events } from './concurrency/events.ts'
import { foreignLeases } from './concurrency/foreign-leases.ts'
import { fairness } from './concurrency/fairness.ts'
import { notes } from './concurrency/notes.ts'
import { sharedKeys } from './concurrency/shared-keys.ts'
import { notesBesideGc } from './concurrency/notes-beside-gc.ts'
import { hostileArguments } from './hostile/arguments.ts'
import { plantedConfigurations } from './hostile/configurations/configurations.ts'
import { frames } from './hostile/frames.ts'
import { hostileLogs } from './hostile/logs/logs.ts'
import { patterns } from './hostile/patterns/patterns.ts'
import { secrets } from './hostile/secrets.ts'
import { sources } from './hostile/sources.ts'
import { team } from './team/team.ts'
import type { Proof } from './proof.ts'

export const PROOFS: readonly Proof[] = [
  kills,
  flushedFirst,
  powerCuts,
  fileCuts,
  diskErrors,
  damage,
  lostAnswers,
  manyServers,
  rebuild,
  leases,
  wrongClocks,
  foreignLeases,
  cloneClaims,
  sharedKeys,
  team,
  housekeeping,
  notes,
  notesBesideGc,
  events,
  fairness,
  hostileArguments,
  plantedConfigurations,
  frames,
  patterns,
  secrets,
  sources,
  hostileLogs,
]
