import type { Format } from './edit.ts'

/** A file that is ours from the first byte to the last, such as a plugin. */
export const FILE_FORMAT: Format = {
  find: (text) => (text === '' ? undefined : text),
  put: (_, { value }) => (typeof value === 'string' ? value : ''),
  take: () => '',
  rest: () => undefined,
  depth: () => 0,
  isBlank: (text) => text === '',
}

/** In the first lines of every such file. */
export const WRITTEN_BY = 'Written by `waymark install'
