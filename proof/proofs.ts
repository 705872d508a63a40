import { leases, wrongClocks } from './concurrency/leases/leases.ts'
import { diskErrors } from './durability/disk-errors.ts'
import { kills } from './durability/kills.ts'
import { powerCuts } from './durability/power-cuts.ts'
import type { Proof } from './proof.ts'

export const PROOFS: readonly Proof[] = [kills, powerCuts, diskErrors, leases, wrongClocks]
