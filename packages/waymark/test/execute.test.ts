import { expect, it } from 'vitest'
import * as z from 'zod'
import { Failure } from '../src/core/error.ts'
import { execute } from '../src/core/execute.ts'
import { defineOperation } from '../src/core/operation.ts'
import { setup } from './setup.ts'

const refused = defineOperation({
  name: 'test.refused',
  summary: 'Ends badly, and cannot even clean up.',
  example: '',
  effect: 'read',
  input: z.object({}),
  output: z.object({}),
  run: async () => {
    await using _draft = {
      [Symbol.asyncDispose]: () => Promise.reject(new Error('the draft cannot be removed')),
    }
    throw new Failure('storage_full', 'the disk is full')
  },
  show: () => [],
})

it('what went wrong first is told, not that cleaning up failed too', async () => {
  await using project = await setup()
  await expect(execute(project.context, refused, {})).rejects.toMatchObject({
    code: 'storage_full',
    message: 'the disk is full',
  })
})
