import { keepsContract } from "../keeps-contract.ts"

keepsContract("s3")
