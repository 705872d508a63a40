import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../../../', import.meta.url))

it('the demo that the README shows runs to its end', () => {
  const out = execFileSync('npx', ['tsx', 'scripts/demo.ts'], {
    cwd: root,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  expect(out).toContain('claimed: #2 in_progress p250 Write the session store')
  expect(out).toContain('Claim #4.')
  expect(out).toMatch(/#2\tWrite the session store\ttask\tin_progress/)
  expect(out).toContain('In your own repository')
  // It has ended: there is no process left to stop, and no page to open.
  expect(out).toContain('Run the demo in a terminal')
  expect(out).not.toMatch(/Ctrl\+C|http:/)
})
