// Packs the parsers that ship with waymark: each WebAssembly file, gzipped, and their licences.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { type Grammar, GRAMMARS, readGrammar, versionOf } from './grammars.ts'

const target = new URL('../packages/waymark/grammars/', import.meta.url)

mkdirSync(target, { recursive: true })
for (const grammar of GRAMMARS) {
  const packed = gzipSync(readGrammar(grammar), { level: 9 })
  writeFileSync(new URL(`${grammar.name}.wasm.gz`, target), packed)
}
writeFileSync(new URL('NOTICE', target), toNotice(GRAMMARS))

/** All of them are under the MIT licence, whose text is the one of our own licence file. */
function toNotice(grammars: readonly Grammar[]): string {
  const parts = grammars.map((grammar) =>
    [
      `${grammar.name}.wasm: ${grammar.project}, from ${grammar.from} ${versionOf(grammar)}`,
      ...grammar.copyright.map((line) => `Copyright (c) ${line}`),
    ].join('\n'),
  )
  const license = readFileSync(new URL('../LICENSE', import.meta.url), 'utf8')
  const terms = license.slice(license.indexOf('Permission is hereby granted'))
  const head = 'Parsers in this folder, each under the MIT licence at the end of this file.'
  return [head, ...parts, 'MIT License', terms].join('\n\n')
}
