/** A canvas of this size in CSS pixels, sharp on every screen. */
export function prepareCanvas(
  canvas: HTMLCanvasElement | null,
  width: number,
  height: number,
): CanvasRenderingContext2D | undefined {
  const pen = canvas?.getContext('2d')
  if (canvas === null || pen === null || pen === undefined) return undefined
  const ratio = devicePixelRatio
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)]
  // Setting a size clears the canvas and makes its memory anew.
  if (canvas.width !== w) canvas.width = w
  if (canvas.height !== h) canvas.height = h
  canvas.style.width = `${width}px`
  canvas.style.height = `${height}px`
  pen.setTransform(ratio, 0, 0, ratio, 0, 0)
  return pen
}
