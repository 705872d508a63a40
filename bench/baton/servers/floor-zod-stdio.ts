// The floor on stdio with the schemas loaded and not used: what zod alone costs at the start.
import './schemas.ts'
import './floor-stdio.ts'
