import { keepsContract } from "../keeps-contract.ts"

keepsContract("http")
