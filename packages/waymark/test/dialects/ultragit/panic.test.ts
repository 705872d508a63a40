import { describe, expect, it } from 'vitest'
import type { CodeSource } from '../../../src/git/code-source.ts'
import { connect } from '../client.ts'

/** A repository that breaks in a way that no code foresees, and works again afterwards. */
function breakingOnce(code: CodeSource, crash: () => never | Promise<never>): CodeSource {
  let isBroken = true
  return {
    ...code,
    repository: () => {
      if (!isBroken) return code.repository()
      isBroken = false
      return crash()
    },
  }
}

const SECRET = '/home/someone/secret'

describe('Panic in tool handler', () => {
  it.each<[string, () => never | Promise<never>]>([
    [
      'thrown at once',
      () => {
        throw new TypeError(`cannot read ${SECRET}`)
      },
    ],
    ['thrown later', () => Promise.reject(new RangeError(`cannot read ${SECRET}`))],
    [
      'that is no error at all',
      () => {
        // oxlint-disable-next-line no-throw-literal -- what a library throws is not ours to choose
        throw SECRET
      },
    ],
  ])(
    '%s: an internal error response, nothing told of it, and the server stays alive [panic-internal-error]',
    async (_, crash) => {
      await using plain = await connect('ultragit')
      const { code } = plain.project.context
      if (code === undefined) throw new Error('the project has no repository')
      await using client = await connect('ultragit', {
        project: plain.project,
        server: { code: breakingOnce(code, crash) },
      })
      const args = { name: 'ultragit_summary', arguments: { path: '' } }
      const { result } = await client.request('tools/call', args)
      expect(result).toMatchObject({
        isError: true,
        content: [{ text: 'code.summary failed; the log has the reason' }],
      })
      expect(JSON.stringify(result)).not.toContain(SECRET)
      expect(client.log.join('\n')).toContain('operation failed')
      const again = await client.request('tools/call', args)
      expect(JSON.stringify(again)).not.toContain('failed')
      expect(await client.request('ping')).toMatchObject({ result: {} })
    },
  )
})
