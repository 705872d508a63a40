// The floor on HTTP with the schemas loaded and not used: what zod alone costs at the start.
import './schemas.ts'
import './floor-http.ts'
