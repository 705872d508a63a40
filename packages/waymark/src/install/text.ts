import { Failure } from '../core/error.ts'

const BYTE_ORDER_MARK = '\uFEFF'

/** A file's text; the mark that some editors put at the beginning is kept apart, because no format allows it. */
export interface DecodedText {
  readonly mark: string
  readonly text: string
}

export function decode(bytes: Buffer | undefined): DecodedText {
  const whole = decodeStrictly(bytes ?? Buffer.alloc(0))
  return whole.startsWith(BYTE_ORDER_MARK)
    ? { mark: BYTE_ORDER_MARK, text: whole.slice(1) }
    : { mark: '', text: whole }
}

export function encode({ mark, text }: DecodedText): Buffer {
  return Buffer.from(mark + text, 'utf8')
}

/** What is not UTF-8 would come back as something else, so it is not touched. */
function decodeStrictly(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new Failure('invalid_input', 'is not UTF-8 text', { cause })
  }
}
