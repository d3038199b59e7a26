// Package typo finds the known word somebody meant: a word and the known ones go in, a sentence for a message comes out.
package typo
