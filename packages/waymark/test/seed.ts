/**
 * Where generated inputs begin: the same in every check, so that a change is judged by the change alone.
 * `TEST_SEED=random` looks for new failures, `TEST_SEED=<number>` repeats one.
 */
export const SEED = readSeed(process.env['TEST_SEED'])

function readSeed(text = '1'): number {
  return text === 'random' ? Math.floor(Math.random() * 2 ** 31) : Number(text)
}
