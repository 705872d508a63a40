import { deflateRawSync, gzipSync } from 'node:zlib'
import { detectMime } from '@waymark/cas'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesOf } from './setup.ts'

const latin1 = (text: string): Uint8Array => Buffer.from(text, 'latin1')

describe('the type of a content', () => {
  it.each([
    [latin1('\x89PNG\r\n\x1a\n\0\0'), 'image/png'],
    [latin1('\xff\xd8\xff\xe0'), 'image/jpeg'],
    [latin1('GIF89a\x01\0'), 'image/gif'],
    [latin1('RIFF\x24\0\0\0WAVEfmt '), 'audio/wav'],
    [latin1('RIFF\x24\0\0\0WEBPVP8 '), 'image/webp'],
    [latin1('RIFF\x24\0\0\0sfbkLIST'), 'audio/x-soundfont'],
    [latin1('MThd\0\0\0\x06\0\x01'), 'audio/midi'],
    [latin1('%PDF-1.7'), 'application/pdf'],
    [latin1('PK\x03\x04\x14'), 'application/zip'],
    [gzipSync('log'), 'application/gzip'],
    [latin1('SQLite format 3\0'), 'application/vnd.sqlite3'],
    [latin1(`${'a'.repeat(257)}ustar`), 'application/x-tar'],
    [bytesOf(''), 'text/plain'],
    [bytesOf('\u001b[32mok\u001b[0m\ttest\r\n'), 'text/plain'],
    [bytesOf('déjà vu'), 'text/plain'],
    [bytesOf('é'.repeat(5000)), 'text/plain'],
    [bytesOf(`x${'é'.repeat(5000)}`), 'text/plain'],
    [bytesOf(' {"a": 1}'), 'application/json'],
    [bytesOf('[1, 2]'), 'application/json'],
    [bytesOf('[INFO] started'), 'text/plain'],
    [bytesOf('<!DOCTYPE html><p>'), 'text/html'],
    [bytesOf('\n<script>alert(1)</script>'), 'text/html'],
    [bytesOf('<?xml version="1.0"?>\n<svg onload="x()">'), 'image/svg+xml'],
    [bytesOf('<?xml version="1.0"?><testsuite/>'), 'application/xml'],
    [latin1('\xff\xfe\x00'), 'application/octet-stream'],
    [deflateRawSync(Buffer.alloc(1000, 'x')), 'application/octet-stream'],
    [bytesOf('a\0b'), 'application/octet-stream'],
  ])('%# is %s', (content, mime) => {
    expect(detectMime(content)).toBe(mime)
  })

  it.each([
    ['# Title', 'report.md', 'text/markdown'],
    ['a,b', 'TABLE.CSV', 'text/csv'],
    ['<p>hi', 'page.html', 'text/html'],
    ['hi', 'picture.png', 'text/plain'],
    ['hi', 'constructor', 'text/plain'],
    ['hi', 'x.constructor', 'text/plain'],
    ['\0\0', 'notes.md', 'application/octet-stream'],
  ])('%j with the name %s is %s', (text, name, mime) => {
    expect(detectMime(bytesOf(text), name)).toBe(mime)
  })

  it('is always one, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), fc.string(), (content, name) => {
        expect(detectMime(content, name)).toMatch(/^[a-z]+\/[\w.+-]+$/)
      }),
      { numRuns: 500, seed: 1 },
    )
  })
})
