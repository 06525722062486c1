! SPDX-License-Identifier: Apache-2.0
!
! MPI calls of Fortran, which do not come through C's.
program calls
  use mpi
  implicit none
  integer :: rank, ranks, left, right, error, i, index, twin, n
  integer :: requests(4), statuses(MPI_STATUS_SIZE, 4), status(MPI_STATUS_SIZE), received(100), sent(100)
  integer, allocatable :: counts(:), places(:), block(:)
  logical :: flag

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  left = mod(rank + ranks - 1, ranks)
  right = mod(rank + 1, ranks)
  sent = rank
  allocate(counts(ranks), places(ranks), block(ranks * ranks * 4))
  counts = [(i, i = 1, ranks)]
  places = 0
  block = 0

  call MPI_Irecv(received, 100, MPI_INTEGER, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, requests(1), error)
  call MPI_Irecv(received(50:), 50, MPI_INTEGER, left, MPI_ANY_TAG, MPI_COMM_WORLD, requests(2), error)
  call MPI_Isend(sent, 10, MPI_INTEGER, right, 1, MPI_COMM_WORLD, requests(3), error)
  call MPI_Isend(sent, 11, MPI_INTEGER, right, 2, MPI_COMM_WORLD, requests(4), error)
  call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, error)
  call MPI_Sendrecv(sent, 12, MPI_INTEGER, left, 3, received, 100, MPI_INTEGER, right, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  call MPI_Send_init(sent, 3, MPI_DOUBLE_PRECISION, right, 4, MPI_COMM_WORLD, requests(1), error)
  call MPI_Recv_init(received, 3, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, requests(2), error)
  do i = 1, 2
    call MPI_Startall(2, requests, error)
    do n = 1, 2
      call MPI_Waitany(2, requests, index, status, error)
    end do
    call MPI_Barrier(MPI_COMM_WORLD, error)
  end do
  call MPI_Request_free(requests(1), error)
  call MPI_Request_free(requests(2), error)
  call MPI_Comm_dup(MPI_COMM_WORLD, twin, error)
  call MPI_Isend(sent, 5, MPI_INTEGER, right, 5, twin, requests(1), error)
  call MPI_Probe(MPI_ANY_SOURCE, 5, twin, status, error)
  call MPI_Recv(received, 100, MPI_INTEGER, status(MPI_SOURCE), 5, twin, status, error)
  flag = .false.
  do while (.not. flag)
    call MPI_Test(requests(1), flag, MPI_STATUS_IGNORE, error)
  end do
  call MPI_Allreduce(MPI_IN_PLACE, received, 6, MPI_INTEGER, MPI_SUM, twin, error)
  call MPI_Allgather(MPI_IN_PLACE, 99, MPI_DOUBLE_PRECISION, block, 2, MPI_INTEGER, MPI_COMM_WORLD, error)
  call MPI_Gatherv(sent, rank + 1, MPI_INTEGER, block, counts, places, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
  call MPI_Comm_free(twin, error)
  call MPI_Finalize(error)
end program
