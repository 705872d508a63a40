import { expect, test } from 'vitest'
import { render } from '../../src/surface/render.ts'

const style = { interactive: false, colors: false, columns: 80 }

test('what was taken back is told entity by entity', async () => {
  const none = { author: 'robot', dry_run: false, entities: [] }
  expect(await render('history.undo', none, style)).toBe('nothing by robot to take back\n')
  const entity = { id: 'x', number: 3, title: 'a note', outcome: 'reverted' }
  const some = {
    author: 'robot',
    dry_run: true,
    entities: [{ ...entity, fields: ['title'], kept: ['content'] }],
  }
  expect(await render('history.undo', some, style)).toBe(
    [
      'would be reverted: 3 a note',
      '  back: title',
      '  changed by others since, so kept: content',
      '',
    ].join('\n'),
  )
})
