import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ORDINARY_TESTS } from '../../../../proof/ordinary-tests.ts'
import { PROOFS } from '../../../../proof/proofs.ts'
import type { Report } from '../../../../proof/report.ts'

const FILE = new URL('../../../../docs/proof/proof.json', import.meta.url)
const report = JSON.parse(readFileSync(FILE, 'utf8')) as Report

describe('the report of proofs', () => {
  it('is about every promise', () => {
    const promises = report.verdicts.map(({ id, promise }) => ({ id, promise }))
    expect(promises).toEqual(PROOFS.map(({ id, promise }) => ({ id, promise })))
  })

  it('says that every ordinary test that carries a promise passed with its full count', () => {
    const passed = report.tests?.filter(({ outcome }) => outcome === 'passed') ?? []
    expect(passed.map(({ what }) => what)).toEqual(ORDINARY_TESTS.map(({ what }) => what))
  })

  it.each(report.verdicts)(
    'says that the promise was kept, tried often enough, and that no planted mistake was missed: $id',
    ({ id, outcome, tried, faults }) => {
      expect(outcome).toBe('held')
      expect(tried).toBeGreaterThanOrEqual(PROOFS.find((proof) => proof.id === id)?.goal ?? 0)
      expect(faults.filter(({ foundAfter }) => foundAfter === null)).toEqual([])
    },
  )
})
